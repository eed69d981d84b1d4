/** Models and tensors that are made to do harm: each has a clear error, and neighbours run as before. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { upload } from './files.ts'
import { repository } from './server.ts'
import { assertProblem, create, ended, ownModels, run } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const fixtures = join(repository, 'services/executor/src/onnx/fixtures')
const hostile = (name: string) => readFileSync(join(fixtures, 'hostile-models', `${name}.onnx`))

const uploadModel = async (bytes: Uint8Array): Promise<string> =>
  (await upload(server, bytes, 'purpose=model', 'application/octet-stream')).id

const x = (number: unknown, dtype = 'float32', shape: unknown = [1]) =>
  JSON.stringify({ x: { dtype, shape, data: Array.isArray(number) ? number : [number] } })

async function assertNeighboursRun(): Promise<void> {
  const input = x([1, 2], 'float32', [1, 2])
  const task = await run(server, { type: 'inference', model: 'double', input })
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
}

test('files that reach outside are neither registered nor run', async () => {
  for (const [name, said] of [
    ['external-data', /external data/],
    ['external-data-inside', /external data/],
    ['ep-context', /EPContext/],
  ] as const) {
    const file = await uploadModel(hostile(name))
    const answer = await server.request('POST', '/v1/models', { json: { name, file } })
    assertProblem(answer, 400, 'model_invalid', 'file')
    assert.match(answer.body.detail, said)
    const task = await server.request('POST', '/v1/tasks', { json: { type: 'custom', model: file, input: x(1) } })
    assertProblem(task, 400, 'model_invalid', 'model')
  }
  await assertNeighboursRun()
})

test('what only the runtime finds out fails the task with its reason, and takes nothing from neighbours', async () => {
  const neighbours = Promise.all([1, 2, 3].map(assertNeighboursRun))
  for (const [name, input, code, said] of [
    ['unknown-operator', x(1), 'model_broken', /No Op registered for Frobnicate/],
    ['wrong-opset', x(1), 'model_broken', /opset/i],
    ['memory-bomb', x(2 ** 40), 'out_of_memory|model_failed', /memory|failed/],
  ] as const) {
    const task = await run(server, { type: 'custom', model: await uploadModel(hostile(name)), input, max_attempts: 1 })
    assert.equal(task.status, 'failed', name)
    assert.match(task.error.code, new RegExp(`^(${code})$`), `${name}: ${JSON.stringify(task.error)}`)
    assert.match(task.error.message, said)
    assert.ok(!task.error.message.includes('/tmp/'), task.error.message)
  }
  const loop = await uploadModel(hostile('endless-loop'))
  const timed = await run(server, { type: 'custom', model: loop, input: x(1), run_timeout_s: 1, max_attempts: 1 })
  assert.equal(timed.error.code, 'run_timeout')
  const cancelled = await create(server, { type: 'custom', model: loop, input: x(1) })
  await server.request('DELETE', `/v1/tasks/${cancelled.id}`)
  assert.equal((await ended(server, cancelled.id)).status, 'cancelled')
  await neighbours
  await assertNeighboursRun()
})

test('tensors that lie are refused when the task is made', async () => {
  const model = await uploadModel(readFileSync(join(ownModels, 'double/model.onnx')))
  const good = { dtype: 'float32', shape: [1, 2], data: [1, 2] }
  for (const input of [
    '',
    '[]',
    'null',
    '{',
    '{"x":1}',
    '{"x":[]}',
    `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    ...[
      {},
      { ...good, shape: [2] },
      { ...good, shape: [1, 3] },
      { ...good, shape: [-1, 2] },
      { ...good, shape: [1.5, 2] },
      { ...good, shape: [2 ** 53, 2] },
      { ...good, shape: [1e308, 2] },
      { ...good, shape: '1,2' },
      { ...good, shape: Array(17).fill(1) },
      { ...good, dtype: 'float' },
      { ...good, dtype: 'toString' },
      { ...good, dtype: 'float64' },
      { ...good, data: [1] },
      { ...good, data: [1, null] },
      { ...good, data: [1, '2'] },
      { ...good, data: [1, [2]] },
      { ...good, data: 'AAAA' },
      { ...good, data: '!' },
      { ...good, data: { length: 2 } },
      { ...good, path: '/etc/passwd' },
    ].map(tensor => JSON.stringify({ x: tensor })),
    JSON.stringify({ x: good, ['y'.repeat(10_000)]: good }),
    JSON.stringify({ y: good }),
  ]) {
    const answer = await server.request('POST', '/v1/tasks', { json: { type: 'custom', model, input } })
    assert.equal(answer.status, 400, `${input.slice(0, 80)}: ${answer.text}`)
    assert.ok(answer.body.detail.length < 2_000)
  }
  const special = await run(server, { type: 'custom', model, input: x(['NaN', '-Infinity'], 'float32', [1, 2]) })
  assert.deepEqual(special.output.y.data, ['NaN', '-Infinity'])
  const empty = await run(server, { type: 'custom', model, input: x([], 'float32', [0, 2]) })
  assert.deepEqual(empty.output.y, { dtype: 'float32', shape: [0, 2], data: [] })
  await assertNeighboursRun()
})
