/** The sandbox: what a test key gets. The same life as live, and nothing computed. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openEvents, type StreamEvent } from './event-stream.ts'
import type { Wire } from './http.ts'
import { assertProblem, digit } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

/** With the test key. */
const call = (method: string, path: string, options: { json?: unknown; headers?: Record<string, string> } = {}) =>
  server.request(method, path, {
    ...options,
    headers: { authorization: `Bearer ${server.testKey}`, ...options.headers },
  })
const task = (input: string, more: object = {}) => ({ type: 'inference', model: 'digits', input, ...more })

async function create(json: object): Promise<Wire> {
  const answer = await call('POST', '/v1/tasks', { json })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

/** A task that was created and has ended. */
async function run(json: object): Promise<Wire> {
  let { body } = await call('POST', '/v1/tasks', { json, headers: { prefer: 'wait=30' } })
  while (!['succeeded', 'failed', 'expired', 'cancelled'].includes(body.status)) {
    body = (await call('GET', `/v1/tasks/${body.id}`, { headers: { prefer: 'wait=30' } })).body
  }
  return body
}

/** All events of a task, read to the end. */
async function eventsOf(id: string): Promise<StreamEvent[]> {
  const headers = { authorization: `Bearer ${server.testKey}` }
  const events: StreamEvent[] = []
  using stream = await openEvents(`${server.url}/v1/tasks/${id}/events`, { headers })
  for await (const event of stream) events.push(event)
  return events
}
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type)

test('every model answers as the real one looks, at no price, and the same to the same request', async () => {
  const { data } = (await call('GET', '/v1/models?limit=100')).body
  const ready = data.filter((model: Wire) => model.status === 'ready' && model.example_input !== undefined)
  assert.ok(ready.length >= 3, `only ${ready.length} models are ready and have an example`)
  for (const { id, example_input: input, output_schema } of ready) {
    const [one, again] = await Promise.all([1, 2].map(() => run({ type: 'inference', model: id, input })))
    assert.equal(one.status, 'succeeded', `${id}: ${JSON.stringify(one.error)}`)
    assert.equal(one.mode, 'test')
    assert.deepEqual(one.engine, { kind: 'mock', name: 'mock', provider: 'none' })
    assert.deepEqual(one.cost, { amount: '0.000000', currency: 'USD' })
    assert.deepEqual(Object.keys(one.usage).sort(), ['compute_ms', 'gpu_type', 'items', 'queue_ms'])
    assert.deepEqual(one.output, again.output)
    assert.deepEqual(Object.keys(one.output).sort(), output_schema.required.toSorted())
    assert.deepEqual(
      (await typesOf(one.id)).filter(type => /queued|started|succeeded/.test(type)),
      ['task.queued', 'task.started', 'task.succeeded'],
    )
  }
})

test('an input that does not fit its model is refused as in live mode', async () => {
  assertProblem(await call('POST', '/v1/tasks', { json: task('seven') }), 400, 'model_input_invalid', 'input')
  const both = task('sandbox:fail', { model: 'nope' })
  assertProblem(await call('POST', '/v1/tasks', { json: both }), 400, 'invalid_parameter', 'model')
})

test('sandbox:fail fails, whatever the model reads', async () => {
  for (const model of ['digits', 'pp-ocr-v4', 'silero-vad']) {
    const failed = await run(task('sandbox:fail', { model }))
    assert.deepEqual([failed.status, failed.error.code, failed.error.retryable], ['failed', 'sandbox_failure', false])
    assert.match(failed.error.message, /sandbox/)
    assert.deepEqual(await typesOf(failed.id), ['task.queued', 'task.started', 'task.failed'])
  }
})

test('sandbox:slow takes as long as it says, holds up nobody, and then answers', async () => {
  const { id } = await create(task('sandbox:slow:600000'))
  assert.equal((await run(digit(3))).status, 'succeeded')
  assert.equal((await call('DELETE', `/v1/tasks/${id}`)).body.outcome, 'requested', 'it still runs')
  const slow = await run(task('sandbox:slow:1500'))
  assert.equal(slow.status, 'succeeded')
  assert.ok(slow.usage.compute_ms >= 1_499, String(slow.usage.compute_ms))
})

test('sandbox:slow is stopped at its run_timeout_s, and by DELETE', async () => {
  const late = await run(task('sandbox:slow:600000', { run_timeout_s: 1 }))
  assert.deepEqual([late.status, late.error.code], ['failed', 'run_timeout'])

  const { id } = await create(task('sandbox:slow:600000'))
  while ((await call('GET', `/v1/tasks/${id}`)).body.status === 'queued') {
    await call('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=1' } })
  }
  const { body } = await call('DELETE', `/v1/tasks/${id}`)
  assert.equal(body.outcome, 'requested')
  assert.deepEqual(await typesOf(id), ['task.queued', 'task.started', 'task.cancelling', 'task.cancelled'])
  assert.equal((await call('GET', `/v1/tasks/${id}`)).body.cost.amount, '0.000000')
})

test('sandbox:stream streams pieces, as the parameters say, and then answers as ever', async () => {
  const headers = { authorization: `Bearer ${server.testKey}` }
  const json = task('sandbox:stream', { stream: true })
  const events: StreamEvent[] = []
  using stream = await openEvents(`${server.url}/v1/tasks`, { method: 'POST', headers, json })
  assert.equal(stream.status, 201)
  for await (const event of stream) events.push(event)
  const pieces = events.filter(({ type }) => type === 'task.output').map(({ data }) => data.output)
  assert.deepEqual(
    pieces,
    Array.from({ length: 10 }, (_, at) => `word${at + 1} `),
  )
  assert.equal(typeof events.at(-1)?.data.task.output.digit, 'number')

  const short = await run(task('sandbox:stream', { parameters: { chunks: 2, interval_ms: 0, chunk: 'x' } }))
  const told = (await eventsOf(short.id)).filter(({ type }) => type === 'task.output').map(({ data }) => data.output)
  assert.deepEqual(told, ['x', 'x'])
})

test('sandbox:queue_timeout expires after a second, without a run', async () => {
  const queued = await create(task('sandbox:queue_timeout'))
  assert.equal(queued.status, 'queued')
  assert.equal(Date.parse(queued.queue_expires_at) - Date.parse(queued.created_at), 1_000)
  assert.deepEqual(await typesOf(queued.id), ['task.queued', 'task.expired'])
  const expired = (await call('GET', `/v1/tasks/${queued.id}`)).body
  assert.deepEqual([expired.status, expired.attempt, 'cost' in expired], ['expired', 0, false])
})

test('sandbox:error answers the create with a code of the catalogue, and fails the task with any other', async () => {
  for (const [code, status, retryAfter] of [
    ['rate_limited', 429, '1'],
    ['queue_full', 429, '1'],
    ['unavailable', 503, '1'],
    ['spending_limit_reached', 403, undefined],
    ['engine_unavailable', 501, undefined],
    ['internal', 500, undefined],
  ] as const) {
    const answer = await call('POST', '/v1/tasks', {
      json: task(`sandbox:error:${code}`, { metadata: { made: code } }),
    })
    assertProblem(answer, status, code)
    assert.equal(answer.headers['retry-after'], retryAfter)
    assert.deepEqual((await call('GET', `/v1/tasks?metadata[made]=${code}`)).body.data, [])
  }
  const failed = await run(task('sandbox:error:out_of_memory'))
  assert.deepEqual([failed.status, failed.error.code], ['failed', 'out_of_memory'])
})

test('in live mode they are ordinary inputs', async () => {
  const answer = await server.request('POST', '/v1/tasks', { json: task('sandbox:fail') })
  assertProblem(answer, 400, 'model_input_invalid', 'input')
})

test('a file is an input as in live mode, of test files alone', async () => {
  const upload = (authorization: string) =>
    server.request('POST', '/v1/files?filename=digit.json', {
      raw: JSON.stringify(Array(64).fill(8)),
      headers: { 'content-type': 'application/json', authorization },
    })
  const [mine, live] = await Promise.all([upload(`Bearer ${server.testKey}`), upload(`Bearer ${server.key}`)])
  assert.equal(mine.status, 201, mine.text)
  const of = (id: string) => ({ type: 'inference', model: 'digits', input_file: id })
  const done = await run(of(mine.body.id))
  assert.equal(done.status, 'succeeded', JSON.stringify(done.error))
  assertProblem(await call('POST', '/v1/tasks', { json: of(live.body.id) }), 400, 'invalid_parameter', 'input_file')
})

test('neither mode sees the other’s tasks', async () => {
  const { id } = await run(digit(1, { metadata: { seen: 'no' } }))
  for (const path of [`/v1/tasks/${id}`, `/v1/tasks/${id}/events`])
    assertProblem(await server.request('GET', path), 404, 'not_found')
  assertProblem(await server.request('DELETE', `/v1/tasks/${id}`), 404, 'not_found')
  assert.deepEqual((await server.request('GET', '/v1/tasks?metadata[seen]=no')).body.data, [])
  assert.equal((await call('GET', '/v1/tasks?metadata[seen]=no')).body.data.length, 1)
})
