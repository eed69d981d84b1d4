import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, clear, create, digit, ended, FOREVER_MS, reaches, run, spin, TIME, TYPE_ID } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

test('a created task is answered with 201, its address and what was asked for', async () => {
  const json = digit(7, {
    metadata: { order: '17', note: 'é ✓' },
    priority: 'high',
    run_timeout_s: 30,
    max_attempts: 1,
  })
  const answer = await server.request('POST', '/v1/tasks', { json })
  assert.equal(answer.status, 201, answer.text)
  assert.match(answer.headers['content-type'] ?? '', /^application\/json\b/)
  const task = answer.body
  assert.equal(answer.headers.location, `/v1/tasks/${task.id}`)
  assert.match(task.id, TYPE_ID('task'))
  assert.match(task.model_version, /^sha256:[0-9a-f]{64}$/)
  assert.match(task.created_at, TIME)
  const { object, type, status, mode, model, priority, queue_timeout_s, run_timeout_s, max_attempts, attempt } = task
  assert.deepEqual(
    { object, type, status, mode, model, priority, queue_timeout_s, run_timeout_s, max_attempts, attempt },
    {
      object: 'task',
      type: 'inference',
      status: 'queued',
      mode: 'live',
      model: 'digits',
      priority: 'high',
      queue_timeout_s: 86_400,
      run_timeout_s: 30,
      max_attempts: 1,
      attempt: 0,
    },
  )
  assert.deepEqual(task.metadata, { order: '17', note: 'é ✓' })
  assert.equal(task.resource_version, 1)
  // Its time begins when it is accepted, which takes a busy machine some seconds.
  const window = Date.parse(task.queue_expires_at) - Date.parse(task.created_at)
  assert.ok(window >= 86_400_000 && window < 87_000_000, `${window} ms`)
  for (const absent of [
    'output',
    'error',
    'usage',
    'cost',
    'started_at',
    'finished_at',
    'cancel_requested_at',
    'data_expires_at',
  ])
    assert.ok(!(absent in task), absent)
})

test('what is not asked for has its documented default', async () => {
  const task = await create(server, digit(1))
  assert.equal(task.priority, 'normal')
  assert.equal(task.queue_timeout_s, 86_400)
  assert.equal(task.run_timeout_s, 600)
  assert.equal(task.max_attempts, 3)
  assert.deepEqual(task.metadata, {})
})

test('a task that succeeded holds its output, usage, engine, cost and times', async () => {
  for (const which of [0, 3, 8]) {
    const task = await run(server, digit(which))
    assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
    assert.equal(task.output.digit, which)
    assert.ok(task.output.confidence > 0.5 && task.output.confidence <= 1)
    assert.equal(Object.keys(task.output.scores).length, 10)
    assert.equal(task.input, JSON.parse(JSON.stringify(digit(which))).input)
    assert.equal(task.attempt, 1)
    assert.equal(task.usage.items, 1)
    assert.equal(task.usage.gpu_type, 'cpu')
    assert.ok(Number.isInteger(task.usage.queue_ms) && Number.isInteger(task.usage.compute_ms))
    assert.match(task.cost.amount, /^\d+\.\d{6}$/)
    assert.match(task.cost.currency, /^[A-Z]{3}$/)
    assert.equal(task.engine.kind, 'onnx')
    assert.equal(task.engine.provider, 'cpu')
    const [created, started, finished, gone] = [
      task.created_at,
      task.started_at,
      task.finished_at,
      task.data_expires_at,
    ].map(milliseconds) as [number, number, number, number]
    assert.ok(created <= started && started <= finished)
    assert.equal(gone - finished, 30 * 86_400_000)
    for (const absent of ['error', 'position', 'queue_expires_at', 'cancel_requested_at'])
      assert.ok(!(absent in task), absent)
    assert.equal(task.resource_version, 3)
  }
})

test('a running task says so', async () => {
  const { id } = await create(server, spin(FOREVER_MS))
  const task = await reaches(server, id, 'running')
  assert.equal(task.attempt, 1)
  assert.match(task.started_at, TIME)
  assert.equal(task.resource_version, 2)
  for (const absent of ['output', 'finished_at', 'queue_expires_at', 'position']) assert.ok(!(absent in task), absent)
  await clear(server, id)
})

test('many tasks at once all get their own answer', async () => {
  const asked = Array.from({ length: 200 }, (_, at) => at % 10)
  const tasks = await Promise.all(asked.map(which => run(server, digit(which, { metadata: { which: String(which) } }))))
  assert.deepEqual(
    tasks.map(task => [task.status, task.output?.digit, task.metadata.which]),
    asked.map(which => ['succeeded', which, String(which)]),
  )
})

test('a tensor model takes and gives named tensors, alone and in shared runs', async () => {
  const tasks = await Promise.all(
    Array.from({ length: 40 }, (_, at) => {
      const input = JSON.stringify({ x: { dtype: 'float32', shape: [1, 2], data: [at, -at / 2] } })
      return run(server, { type: 'inference', model: 'double', input })
    }),
  )
  for (const [at, task] of tasks.entries()) {
    assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
    assert.deepEqual(task.output, { y: { dtype: 'float32', shape: [1, 2], data: [2 * at, -at === 0 ? 0 : -at] } })
  }
})

test('the data of an ended task is removed at once and its record kept; again is the same', async () => {
  const task = await run(server, digit(4))
  for (let time = 0; time < 2; time++) {
    const answer = await server.request('DELETE', `/v1/tasks/${task.id}/data`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.object, 'task')
  }
  const { input, output, ...record } = task
  const after = await server.request('GET', `/v1/tasks/${task.id}`)
  assert.ok(!('input' in after.body) && !('output' in after.body), after.text)
  for (const field of ['id', 'status', 'metadata', 'usage', 'created_at', 'finished_at'])
    assert.deepEqual(after.body[field], record[field], field)
  const listed = await server.request('GET', '/v1/tasks?include=input,output&limit=100')
  const entry = listed.body.data.find((each: { id: string }) => each.id === task.id)
  assert.ok(!('input' in entry) && !('output' in entry))
})

test('the data of a task that has not ended cannot be removed', async () => {
  const { id } = await create(server, spin(FOREVER_MS))
  await reaches(server, id, 'running')
  assertProblem(await server.request('DELETE', `/v1/tasks/${id}/data`), 409, 'invalid_state')
  await clear(server, id)
})

test('a run that fails says why and is not tried again where that would not help', async () => {
  const shape = { dtype: 'int64', shape: [1], data: [-5] }
  const task = await run(server, { type: 'inference', model: 'hungry', input: JSON.stringify({ shape }) })
  assert.equal(task.status, 'failed')
  assert.equal(typeof task.error.code, 'string')
  assert.ok(task.error.message.length > 0)
  assert.equal(task.error.retryable, false)
  assert.equal(task.attempt, 1)
  assert.ok(!('output' in task))
})

test('a run that wants more memory than there is fails with a clear error, and the next task runs', async () => {
  const shape = { dtype: 'int64', shape: [1], data: [1e12] }
  const task = await run(server, {
    type: 'inference',
    model: 'hungry',
    input: JSON.stringify({ shape }),
    max_attempts: 1,
  })
  assert.equal(task.status, 'failed')
  assert.match(`${task.error.code} ${task.error.message}`, /memory/i)
  assert.equal((await run(server, digit(2))).output.digit, 2)
})

test('unknown ids are 404, whatever they look like', async () => {
  for (const id of [
    'task_01kaje5z1cf6tvnyxkkhbm3v8h',
    'nonsense',
    'model_01kaje5z1cf6tvnyxkkhbm3v8h',
    '%00',
    '..%2f..',
  ])
    for (const [method, path] of [
      ['GET', `/v1/tasks/${id}`],
      ['DELETE', `/v1/tasks/${id}`],
      ['DELETE', `/v1/tasks/${id}/data`],
    ] as const) {
      const answer = await server.request(method, path)
      assertProblem(answer, 404, 'not_found')
    }
})

test('a task of a model that cannot be used is refused', async () => {
  for (const model of ['no-such-model', 'not-onnx', 'no-json']) {
    const answer = await server.request('POST', '/v1/tasks', { json: digit(1, { model }) })
    const problem = assertProblem(answer, 400, 'invalid_parameter', 'model')
    assert.match(problem.detail, new RegExp(model))
  }
  assert.equal((await ended(server, (await create(server, digit(1))).id)).status, 'succeeded')
})

function milliseconds(time: string): number {
  assert.match(time, TIME)
  return Date.parse(time)
}
