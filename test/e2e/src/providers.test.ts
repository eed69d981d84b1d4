/** What models run on: a GPU in software stands for a real one. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { softwareGpu, softwareGpuMissing } from '../../../services/executor/src/hardware/software-gpu.fixture.ts'
import { batchEnded, batchOnce, createBatch, linesOf } from './batches.ts'
import type { Answer, Wire } from './http.ts'
import { newKey } from './keys.ts'
import { requests, type Server, startServer, temporaryFolder } from './server.ts'
import { assertProblem, create, digit, ended, FOREVER_MS, ownModels, reaches, run, spin } from './tasks.ts'
import { dearPlans } from './visited-server.ts'

describe('a deployment with a GPU', { skip: softwareGpuMissing }, () => {
  let server: Server
  let sandbox: Server
  before(async () => {
    const MILLHAND_PLANS_FILE = dearPlans(temporaryFolder('millhand-plans-'))
    server = await startServer({ env: { ...softwareGpu, MILLHAND_PLANS_FILE } })
    sandbox = Object.assign(Object.create(server), { request: requests(server.url, server.testKey) })
    for (const side of [server, sandbox])
      await until(side, '/v1/gpu_types', ({ body }) => body.data.some(isOfExecutors))
  })
  after(() => server?.stop())

  it('lists it with what it costs and what models can run on', async () => {
    for (const side of [server, sandbox]) {
      const { complete, data, ...list } = (await side.request('GET', '/v1/gpu_types')).body
      // Not for the first seconds of a server.
      assert.equal(typeof complete, 'boolean')
      // Beside what instances of the sandbox run on.
      assert.deepEqual(
        { ...list, data: data.filter(isOfExecutors) },
        {
          object: 'list',
          data: [
            {
              object: 'gpu_type',
              id: 'swiftshader',
              name: 'SwiftShader (software)',
              available: 1,
              providers: ['webgpu'],
              price: { amount: '1.000000', currency: 'USD' },
            },
          ],
          has_more: false,
        },
      )
      const { body: model } = await side.request('GET', '/v1/models/digits')
      assert.deepEqual(model.engines, ['cpu', 'webgpu'])
    }
  })

  it('runs a model on it where a task asks for that, with the numbers of the processor', async () => {
    const plain = await run(server, digit(3))
    const onGpu = await run(server, digit(3, { parameters: { provider: 'webgpu' } }))
    assert.deepEqual([plain.engine.provider, plain.usage.gpu_type], ['cpu', 'cpu'])
    assert.deepEqual(
      [onGpu.status, onGpu.engine?.provider, onGpu.usage?.gpu_type],
      ['succeeded', 'webgpu', 'swiftshader'],
    )
    assert.equal(onGpu.output.digit, plain.output.digit)
    for (const [at, score] of plain.output.scores.entries())
      assert.ok(Math.abs(onGpu.output.scores[at] - score) < 1e-5, `${onGpu.output.scores}`)
  })

  it('runs batch tasks and batches on it', async () => {
    const { input } = digit(7) as { input: string }
    const parameters = { provider: 'webgpu' }
    const lines = await run(server, { type: 'batch', model: 'digits', input: `${input}\n${input}`, parameters })
    assert.deepEqual([lines.status, lines.engine?.provider, lines.usage.items], ['succeeded', 'webgpu', 2])
    const { body } = await server.request('POST', '/v1/batches', { json: { tasks: [digit(7, { parameters })] } })
    await until(server, `/v1/batches/${body.id}`, answer => answer.body.status === 'completed')
    const { body: tasks } = await server.request('GET', `/v1/tasks?batch_id=${body.id}`)
    assert.deepEqual([tasks.data[0].status, tasks.data[0].engine.provider], ['succeeded', 'webgpu'])
  })

  it('shows usage by the type of GPU', async () => {
    const answer = await until(server, '/v1/usage?group_by=gpu_type', ({ body }) =>
      body.data.some((group: { key: string }) => group.key === 'swiftshader'),
    )
    assert.equal(answer.status, 200)
  })

  it('runs no model on it that is wrong there', async () => {
    const { body } = await server.request('GET', '/v1/models/silero-vad')
    assert.deepEqual(body.engines, ['cpu'])
    const json = { type: 'inference', model: body.id, input: body.example_input, parameters: { provider: 'webgpu' } }
    assertProblem(await server.request('POST', '/v1/tasks', { json }), 400, 'invalid_parameter', 'parameters.provider')
  })

  it('answers for it in the sandbox', async () => {
    const task = await run(sandbox, digit(1, { parameters: { provider: 'webgpu' } }))
    assert.deepEqual([task.status, task.engine.kind, task.usage.gpu_type], ['succeeded', 'mock', 'swiftshader'])
    assert.equal(task.cost.amount, '0.000000')
  })

  it('refuses a provider that no executor has, with the names of those there are', async () => {
    for (const side of [server, sandbox]) {
      const json = digit(1, { parameters: { provider: 'cuda' } })
      const answer = await answered(() => side.request('POST', '/v1/tasks', { json }))
      const { errors } = assertProblem(answer, 400, 'invalid_parameter', 'parameters.provider')
      assert.match(errors[0].message, /there is cpu, webgpu\b/)
      const other = await side.request('POST', '/v1/tasks', { json: digit(1, { parameters: { provider: 7 } }) })
      assertProblem(other, 400, 'invalid_parameter', 'parameters.provider')
    }
  })
})

describe('a deployment whose operator allows the processor alone', () => {
  it('takes tasks for that, and no others', async () => {
    const server = await startServer({ env: { ...softwareGpu, MILLHAND_PROVIDERS: 'cpu' } })
    try {
      const { id } = await create(server, digit(2, { parameters: { provider: 'cpu' } }))
      assert.equal((await ended(server, id)).engine.provider, 'cpu')
      const json = digit(2, { parameters: { provider: 'webgpu' } })
      assertProblem(await answered(() => server.request('POST', '/v1/tasks', { json })), 400, 'invalid_parameter')
      assert.deepEqual((await server.request('GET', '/v1/gpu_types')).body.data, [])
    } finally {
      await server.stop()
    }
  })
})

describe('tasks for a GPU whose executor has gone', { skip: softwareGpuMissing }, () => {
  it('wait until an executor has it again, while those for the processor run, and expire as any other', async () => {
    const parameters = { provider: 'webgpu' }
    const dataDir = temporaryFolder('millhand-gpu-gone-')
    const [key, testKey] = [newKey('live'), newKey('test')]
    const keys = { MILLHAND_BOOTSTRAP_KEY: key, MILLHAND_BOOTSTRAP_TEST_KEY: testKey }
    const start = (more: object = {}) =>
      startServer({
        dataDir,
        env: { ...softwareGpu, ...keys, MILLHAND_MODELS_DIR: ownModels, MILLHAND_EXECUTOR_SLOTS: '1', ...more },
      })
    let server = await start()
    try {
      await until(server, '/v1/gpu_types', ({ body }) => body.data.some(isOfExecutors))
      const blocker = await create(server, spin(FOREVER_MS, { parameters }))
      await reaches(server, blocker.id, 'running')
      const waiting = await create(server, digit(4, { parameters }))
      const brief = await create(server, digit(4, { parameters, queue_timeout_s: 60 }))
      const batch = await createBatch(server, { tasks: [digit(5), digit(6, { parameters })] })
      await server.kill()

      server = await start({ MILLHAND_PROVIDERS: 'cpu' })
      assert.equal((await run(server, digit(2))).status, 'succeeded')
      assert.equal((await ended(server, brief.id)).status, 'expired')
      assert.equal((await server.request('GET', `/v1/tasks/${waiting.id}`)).body.status, 'queued')
      await batchOnce(server, batch.id, ({ counts }) => counts.succeeded === 1 && counts.queued === 1)
      const json = digit(4, { parameters })
      const refused = await answered(() => server.request('POST', '/v1/tasks', { json }))
      assertProblem(refused, 400, 'invalid_parameter', 'parameters.provider')
      assert.equal((await server.request('DELETE', `/v1/tasks/${blocker.id}`)).status, 200)
      assert.equal((await ended(server, blocker.id)).status, 'cancelled')
      await server.kill()

      server = await start()
      const task = await ended(server, waiting.id)
      assert.deepEqual([task.status, task.engine?.provider, task.output?.digit], ['succeeded', 'webgpu', 4])
      const { counts, output_file } = await batchEnded(server, batch.id)
      assert.equal(counts.succeeded, 2)
      const lines = await linesOf(server, output_file)
      assert.deepEqual(
        lines.map(({ output }) => output.digit),
        [5, 6],
      )
    } finally {
      await server.kill()
    }
  })
})

const isOfExecutors = ({ providers }: Wire): boolean => providers.length > 0

/** What is answered once executors have told what they have. */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  return await retried(ask, ({ status }) => status !== 503)
}

const until = (server: Server, path: string, fits: (answer: Answer) => boolean): Promise<Answer> =>
  retried(() => server.request('GET', path), fits)

async function retried(ask: () => Promise<Answer>, fits: (answer: Answer) => boolean): Promise<Answer> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const answer = await ask()
    if (fits(answer)) return answer
    assert.ok(performance.now() < deadline, answer.text)
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}
