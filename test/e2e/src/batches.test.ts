/** Many tasks in one request. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { batchEnded, batchOnce, createBatch, linesOf } from './batches.ts'
import { upload } from './files.ts'
import type { Wire } from './http.ts'
import {
  answered,
  assertProblem,
  clearAll,
  create,
  digit,
  ended,
  FOREVER_MS,
  ownModels,
  reaches,
  spin,
} from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
afterEach(async () => {
  const running = await server.request('GET', '/v1/batches?status=running&limit=100')
  for (const { id } of running.body.data) await server.request('DELETE', `/v1/batches/${id}`)
  await clearAll(server)
})
after(() => server.leave())

const post = (json: object, headers = {}) => answered(() => server.request('POST', '/v1/batches', { json, headers }))
const none = { queued: 0, running: 0, cancelling: 0, succeeded: 0, failed: 0, cancelled: 0, expired: 0 }
/** A task that is accepted, and fails as it runs. */
const failing = spin(FOREVER_MS, { run_timeout_s: 1, max_attempts: 1 })
const tasksOf = async (id: string, query = ''): Promise<Wire[]> => {
  const { status, body, text } = await server.request('GET', `/v1/tasks?batch_id=${id}&order=desc&limit=100${query}`)
  assert.equal(status, 200, text)
  return body.data.toReversed()
}

test('a batch of ten runs, and gives one file in the order of its tasks', async () => {
  const numbers = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
  const tasks = numbers.map((number, index) => digit(number, { custom_id: `n${index}`, metadata: { of: `${index}` } }))
  const made = await createBatch(server, { tasks, metadata: { title: 'pi' } })
  assert.match(made.id, /^batch_[0-9a-z]{26}$/)
  assert.deepEqual([made.object, made.status, made.total, made.mode], ['batch', 'running', 10, 'live'])
  assert.deepEqual(made.counts, { ...none, queued: 10 })
  assert.equal(made.completion_window_s, 86_400)
  // Its window begins when it is accepted, which takes a busy machine some seconds.
  const window = Date.parse(made.expires_at) - Date.parse(made.created_at)
  assert.ok(window >= 86_400_000 && window < 87_000_000, `${window} ms`)
  const batch = await batchEnded(server, made.id)
  assert.equal(batch.status, 'completed')
  assert.deepEqual(batch.counts, { ...none, succeeded: 10 })
  assert.deepEqual([batch.metadata, batch.error_file], [{ title: 'pi' }, undefined])
  const lines = await linesOf(server, batch.output_file)
  assert.deepEqual(
    lines.map(line => [line.index, line.custom_id, line.output.digit]),
    numbers.map((number, index) => [index, `n${index}`, number]),
  )

  const made10 = await tasksOf(batch.id)
  assert.deepEqual(
    made10.map(task => task.id),
    lines.map(line => line.task_id),
  )
  assert.deepEqual(
    made10.map(task => [task.batch_id, task.metadata.of]),
    numbers.map((_, index) => [batch.id, `${index}`]),
  )
  const listed = await server.request('GET', '/v1/batches')
  assert.deepEqual(
    listed.body.data.find((one: Wire) => one.id === batch.id),
    batch,
  )
})

test('a batch with tasks that fail completes, and names them in its error file', async () => {
  const { id } = await createBatch(server, {
    tasks: [digit(1), { ...failing, custom_id: 'bad' }, digit(2)],
  })
  const batch = await batchEnded(server, id)
  assert.deepEqual([batch.status, batch.counts], ['completed', { ...none, succeeded: 2, failed: 1 }])
  const [done, failed] = [await linesOf(server, batch.output_file), await linesOf(server, batch.error_file)]
  assert.deepEqual(
    done.map(line => line.index),
    [0, 2],
  )
  assert.deepEqual(
    failed.map(({ index, custom_id }) => [index, custom_id]),
    [[1, 'bad']],
  )
  const { error } = await ended(server, failed[0].task_id)
  assert.deepEqual(failed[0].error, error)
})

test('one bad task refuses the whole, and every fault is named', async () => {
  const before = (await server.request('GET', '/v1/batches')).body.data.length
  const answer = await post({
    tasks: [
      digit(1),
      digit(1, { model: 'none' }),
      digit(1, { priorty: 'high' }),
      { type: 'inference' },
      digit(2, { input: '[1]' }),
      7,
      digit(1, { stream: true }),
    ],
  })
  const { errors } = assertProblem(answer, 400, 'invalid_parameter', 'tasks[1].model')
  const params = errors.map(({ param }: Wire) => param)
  for (const param of [
    'tasks[1].model',
    'tasks[2].priorty',
    'tasks[3].model',
    'tasks[3].input',
    'tasks[4].input',
    'tasks[5]',
    'tasks[6].stream',
  ])
    assert.ok(params.includes(param), `${param}: ${params}`)
  assert.equal((await server.request('GET', '/v1/batches')).body.data.length, before)
})

test('what a batch can’t be is said', async () => {
  for (const [json, param] of [
    [{}, 'tasks'],
    [{ tasks: [] }, 'tasks'],
    [{ tasks: [digit(1)], input_file: 'file_1' }, 'input_file'],
    [{ tasks: Array(1_001).fill(digit(1)) }, 'tasks'],
    [{ tasks: [digit(1)], completion_window_s: 59 }, 'completion_window_s'],
    [{ tasks: [digit(1)], completion_window_s: 604_801 }, 'completion_window_s'],
    [{ tasks: [digit(1, { custom_id: 'a' }), digit(1, { custom_id: 'a' })] }, 'tasks[1].custom_id'],
    [{ tasks: [digit(1, { custom_id: 'a'.repeat(65) })] }, 'tasks[0].custom_id'],
    [{ tasks: [digit(1, { custom_id: '' })] }, 'tasks[0].custom_id'],
    [{ input_file: 'file_none' }, 'input_file'],
  ] as const) {
    const answer = await post(json)
    assert.equal(answer.status, 400, answer.text)
    assert.equal(answer.body.param, param, answer.text)
  }
  const many = await post({ tasks: Array(150).fill({}) })
  assert.deepEqual([many.status, many.body.errors.length], [400, 100])
})

test('a body may have 20 MiB, and no more', async () => {
  const padding = { parameters: { padding: 'x'.repeat(15_000) } }
  const large = await createBatch(server, { tasks: Array(1_000).fill(digit(1, padding)) })
  assert.equal(large.total, 1_000)
  const tooLarge = await server.request('POST', '/v1/batches', {
    raw: Buffer.alloc(21 * 2 ** 20, ' '),
    headers: { 'content-type': 'application/json' },
  })
  assertProblem(tooLarge, 413, 'payload_too_large')
})

test('lines of a file are a batch, and a bad one is named by its number', async () => {
  const lines = [digit(7, { custom_id: 'seven' }), digit(8)].map(line => JSON.stringify(line))
  const file = await upload(server, `\uFEFF${lines[0]}\r\n\n${lines[1]}`)
  const { id, input_file } = await createBatch(server, { input_file: file.id })
  assert.equal(input_file, file.id)
  const batch = await batchEnded(server, id)
  const done = await linesOf(server, batch.output_file)
  assert.deepEqual(
    done.map(line => [line.index, line.custom_id, line.output.digit]),
    [
      [0, 'seven', 7],
      [1, undefined, 8],
    ],
  )

  const bad = await upload(server, `${lines[0]}\n\n{"type":\n${JSON.stringify(digit(1, { model: 'none' }))}\n`)
  const answer = await post({ input_file: bad.id })
  const { errors } = assertProblem(answer, 400, 'invalid_parameter')
  assert.deepEqual(
    errors.map(({ param }: Wire) => param),
    ['lines[3]', 'lines[4].model'],
  )
  for (const [content, param] of [
    ['\n\n', 'input_file'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'lines[1]'],
    [`${lines[0]}\n"${'x'.repeat(1_048_576)}"`, 'lines[2]'],
  ] as const) {
    const refused = await post({ input_file: (await upload(server, content)).id })
    assert.deepEqual([refused.status, refused.body.param], [400, param], refused.text)
  }
})

test('a cancelled batch keeps what was done, and names the rest', async () => {
  const { id } = await createBatch(server, {
    tasks: [digit(1), spin(FOREVER_MS), ...Array(20).fill(spin(FOREVER_MS))],
  })
  await batchOnce(server, id, ({ counts }) => counts.succeeded === 1 && counts.running > 0)
  const cancelled = await server.request('DELETE', `/v1/batches/${id}`)
  assert.deepEqual(
    [cancelled.status, cancelled.body.object, cancelled.body.outcome],
    [200, 'batch_cancellation', 'requested'],
  )
  assert.equal(cancelled.body.batch.status, 'cancelling')
  assert.equal((await server.request('DELETE', `/v1/batches/${id}`)).status, 200)
  const batch = await batchEnded(server, id)
  assert.deepEqual([batch.status, batch.counts], ['cancelled', { ...none, succeeded: 1, cancelled: 21 }])
  assert.deepEqual(
    (await linesOf(server, batch.output_file)).map(line => line.index),
    [0],
  )
  const rest = await linesOf(server, batch.error_file)
  assert.deepEqual(
    rest.map(line => line.index),
    Array.from({ length: 21 }, (_, n) => n + 1),
  )
  assert.deepEqual(new Set(rest.map(line => line.error.code)), new Set(['batch_cancelled']))
  const again = await server.request('DELETE', `/v1/batches/${id}`)
  assert.deepEqual([again.status, again.body.outcome, again.body.batch], [200, 'already_finished', batch])
})

test('a task of a batch can be cancelled by itself', async () => {
  const { id } = await createBatch(server, { tasks: [digit(1), spin(FOREVER_MS)] })
  const batch = await batchOnce(server, id, ({ counts }) => counts.running === 1 && counts.succeeded === 1)
  const [, task] = await tasksOf(batch.id)
  await server.request('DELETE', `/v1/tasks/${task.id}`)
  const end = await batchEnded(server, id)
  assert.deepEqual([end.status, end.counts], ['completed', { ...none, succeeded: 1, cancelled: 1 }])
  assert.deepEqual(
    (await linesOf(server, end.error_file)).map(line => line.error.code),
    ['cancelled'],
  )
})

test('a single task runs before those of a batch that wait', async () => {
  const blocker = await create(server, spin(FOREVER_MS))
  await reaches(server, blocker.id, 'running')
  const { id } = await createBatch(server, { tasks: Array(5).fill(spin(1, { priority: 'high' })) })
  await batchOnce(server, id, () => true)
  const deadline = performance.now() + 300_000
  while ((await tasksOf(id)).length < 5) assert.ok(performance.now() < deadline)
  const single = await create(server, spin(1, { priority: 'low' }))
  await server.request('DELETE', `/v1/tasks/${blocker.id}`)
  const { started_at } = await ended(server, single.id)
  await batchEnded(server, id)
  const tasks = await tasksOf(id)
  assert.deepEqual(new Set(tasks.map(task => task.priority)), new Set(['high']))
  for (const task of tasks) assert.ok(task.started_at >= started_at, `${task.started_at} is before ${started_at}`)
})

test('a file and a model that a batch names stay until it has ended', async () => {
  const uploaded = async (bytes: Uint8Array) =>
    (await upload(server, bytes, 'purpose=model', 'application/octet-stream')).id
  const spinning = readFileSync(join(ownModels, 'spin/model.onnx'))
  const [file, other] = [await uploaded(spinning), await uploaded(spinning)]
  const model = (await server.request('POST', '/v1/models', { json: { name: 'x', file: other } })).body.id
  const { input } = spin(FOREVER_MS) as { input: string }
  const tasks = [spin(FOREVER_MS), { type: 'custom', model: file, input }, { type: 'inference', model, input }]
  const { id } = await createBatch(server, { tasks })
  for (const path of [`/v1/files/${file}`, `/v1/models/${model}`]) {
    const answer = await server.request('DELETE', path)
    assertProblem(answer, 409, 'invalid_state')
    assert.ok(answer.body.detail.includes(`needed by the batch \`${id}\``), answer.body.detail)
  }
  assert.equal((await server.request('DELETE', `/v1/files/${other}`)).status, 200)
  await server.request('DELETE', `/v1/batches/${id}`)
  await batchEnded(server, id)
  for (const path of [`/v1/files/${file}`, `/v1/models/${model}`])
    assert.equal((await server.request('DELETE', path)).status, 200)
})

test('a batch that is refused keeps no file', async () => {
  const { id } = await upload(server, 'text')
  const refused = await post({ tasks: [{ type: 'inference', model: 'double', input_file: id }, { type: 'nothing' }] })
  assert.equal(refused.status, 400)
  assert.equal((await server.request('DELETE', `/v1/files/${id}`)).status, 200)
})

test('the same key makes one batch', async () => {
  const json = { tasks: [digit(1)] }
  const headers = { 'idempotency-key': 'one batch' }
  const answers = await Promise.all([post(json, headers), post(json, headers), post(json, headers)])
  const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.id)
  assert.equal(new Set(ids).size, 1)
  const replayed = await post(json, headers)
  assert.deepEqual([replayed.status, replayed.body.id], [201, ids[0]])
  assert.equal(replayed.headers['idempotent-replayed'], 'true')
})

test('its end is an event, which is listed and carries the batch', async () => {
  const { id } = await createBatch(server, { tasks: [digit(1)] })
  const batch = await batchEnded(server, id)
  const deadline = performance.now() + 300_000
  for (;;) {
    const { body } = await server.request('GET', `/v1/events?resource_id=${id}`)
    const types = body.data.map((event: Wire) => event.type)
    if (types.includes('batch.completed')) {
      assert.deepEqual(types, ['batch.completed', 'batch.created'])
      assert.deepEqual(body.data[0].data.object, batch)
      return
    }
    assert.ok(performance.now() < deadline, types)
  }
})

test('the sandbox runs batches with the same states', async () => {
  const headers = { authorization: `Bearer ${server.testKey}` }
  const made = await post({ tasks: [digit(1), digit(2, { input: 'sandbox:fail' })] }, headers)
  assert.deepEqual([made.status, made.body.mode], [201, 'test'], made.text)
  const deadline = performance.now() + 300_000
  for (;;) {
    const { body } = await server.request('GET', `/v1/batches/${made.body.id}`, { headers })
    if (body.status === 'completed') {
      assert.deepEqual(body.counts, { ...none, succeeded: 1, failed: 1 })
      break
    }
    assert.ok(performance.now() < deadline)
  }
  assertProblem(await server.request('GET', `/v1/batches/${made.body.id}`), 404, 'not_found')
})
