/** Models and tensors that are made to do harm: each has a clear error, and neighbours run as before. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { upload } from './files.ts'
import { refusedFiles } from './hostile-files.ts'
import { failingModels, harmlessModels } from './hostile-graphs.ts'
import { hostile } from './hostile-parts.ts'
import type { Wire } from './http.ts'
import { answered, assertProblem, create, ended, ownModels, run } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
let bytesBefore: number
before(async () => {
  server = await visitServer()
  bytesBefore = residentBytes()
})
after(async () => {
  const grown = residentBytes() - bytesBefore
  assert.ok(grown < MOST_GROWN_BYTES, `the server has ${grown} bytes more than before`)
  await server.leave()
})

/** What is hostile costs memory in processes that have a limit of their own. */
const MOST_GROWN_BYTES = 512 * 2 ** 20

/** Of the server's own process; 0 where the system does not tell. */
function residentBytes(): number {
  const status = `/proc/${server.pid}/status`
  const [, kib = 0] = (existsSync(status) && /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))) || []
  return Number(kib) * 1024
}

const uploadModel = async (bytes: Uint8Array): Promise<string> =>
  (await upload(server, bytes, 'purpose=model', 'application/octet-stream')).id

const x = (number: unknown, dtype = 'float32', shape: unknown = [1]) =>
  JSON.stringify({ x: { dtype, shape, data: Array.isArray(number) ? number : [number] } })

/** What a busy machine answers whose process did not come to look into a file in two minutes. */
const BUSY = [503, 504]

const post = (path: string, json: object) => answered(() => server.request('POST', path, { json }), BUSY)

async function assertNeighboursRun(): Promise<void> {
  const input = x([1, 2], 'float32', [1, 2])
  const task = await run(server, { type: 'inference', model: 'double', input })
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
}

/** Whatever runs beside a neighbour, that one succeeds. */
async function besideNeighbours<R>(work: Promise<R>): Promise<R> {
  const [result] = await Promise.all([work, assertNeighboursRun()])
  return result
}

for (const [name, bytes, said] of refusedFiles) {
  test(`a file is refused that has ${name}`, async () => {
    const file = await uploadModel(bytes)
    const answer = await besideNeighbours(post('/v1/models', { name: 'x', file }))
    assertProblem(answer, 400, 'model_invalid', 'file')
    assert.match(answer.body.detail, said)
    assert.ok(answer.body.detail.length < 2_000)
    const task = await post('/v1/tasks', { type: 'custom', model: file, input: x(1) })
    assertProblem(task, 400, 'model_invalid', 'model')
  })
}

/**
 * A task of one attempt, which a model that ends its process shall not have three of. Where the machine stood still for as
 * long as a lease lasts the attempt was lost with its executor, which says nothing of the model: then it is made again.
 */
async function runOnce(json: object): Promise<Wire> {
  for (let tries = 1; ; tries++) {
    const task = await run(server, { ...json, max_attempts: 1 }, BUSY)
    if (tries === MOST_TRIES || !task.error?.message.endsWith('(executor_lost)')) return task
  }
}

const MOST_TRIES = 10

for (const [name, bytes, codes, more = {}] of failingModels) {
  test(`a model fails its task alone that has ${name}`, async () => {
    const { x: number = 1, text, ...fields } = more as { x?: number; text?: string }
    const input = text === undefined ? x(number) : x(text, 'string')
    const model = await uploadModel(bytes)
    const task = await besideNeighbours(runOnce({ type: 'custom', model, input, ...fields }))
    assert.equal(task.status, 'failed', JSON.stringify(task))
    assert.match(task.error.code, new RegExp(`^(${codes})$`), JSON.stringify(task.error))
    assert.ok(!task.error.message.includes('/tmp/'), task.error.message)
    assert.ok(task.error.message.length < 2_100)
  })
}

for (const [name, bytes, y] of harmlessModels) {
  test(`a model runs that has ${name}`, async () => {
    const task = await run(server, { type: 'custom', model: await uploadModel(bytes), input: x(2) }, BUSY)
    assert.deepEqual(task.output, { y: { dtype: 'float32', shape: [1], data: [y] } }, JSON.stringify(task.error))
  })
}

test('an endless model is cancelled at once', async () => {
  const model = await uploadModel(hostile('endless-loop'))
  const { id } = await create(server, { type: 'custom', model, input: x(1) }, BUSY)
  await besideNeighbours(server.request('DELETE', `/v1/tasks/${id}`))
  assert.equal((await ended(server, id)).status, 'cancelled')
})

test('parameters that lie are refused when the task is made', async () => {
  const model = await uploadModel(readFileSync(join(ownModels, 'double/model.onnx')))
  const nested = JSON.parse(`${'['.repeat(50)}${']'.repeat(50)}`)
  for (const [parameters, param] of [
    [{ outputs: nested }, 'parameters.outputs'],
    [{ outputs: [{ toString: 1, valueOf: 1 }] }, 'parameters.outputs'],
    [{ outputs: [{ [Symbol.toStringTag]: 1, length: 1 }] }, 'parameters.outputs'],
    [{ outputs: ['constructor'] }, 'parameters.outputs'],
    [{ outputs: ['y'.repeat(10_000)] }, 'parameters.outputs'],
    [{ outputs: { length: 1, 0: 'y' } }, 'parameters.outputs'],
    [{ outputs: Array(2_000).fill('y') }, 'parameters.outputs'],
    [{ output_format: ['npz'] }, 'parameters.output_format'],
    [{ output_format: { toString: 1 } }, 'parameters.output_format'],
    [{ output_format: '__proto__' }, 'parameters.output_format'],
    [{ provider: { toString: 1 } }, 'parameters.provider'],
    [{ provider: ['cuda'] }, 'parameters.provider'],
    [{ provider: 'toString' }, 'parameters.provider'],
  ] as const) {
    const json = { type: 'custom', model, input: x([1, 2], 'float32', [1, 2]), parameters }
    const answer = await post('/v1/tasks', json)
    assertProblem(answer, 400, 'invalid_parameter', param)
    assert.ok(answer.text.length < 2_000)
  }
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
    const answer = await post('/v1/tasks', { type: 'custom', model, input })
    assert.equal(answer.status, 400, `${input.slice(0, 80)}: ${answer.text}`)
    assert.ok(answer.body.detail.length < 2_000)
  }
  const special = await run(server, { type: 'custom', model, input: x(['NaN', '-Infinity'], 'float32', [1, 2]) })
  assert.deepEqual(special.output.y.data, ['NaN', '-Infinity'])
  const empty = await run(server, { type: 'custom', model, input: x([], 'float32', [0, 2]) })
  assert.deepEqual(empty.output.y, { dtype: 'float32', shape: [0, 2], data: [] })
  await assertNeighboursRun()
})
