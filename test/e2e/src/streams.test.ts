import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openEvents, type StreamEvent, type StreamRequest } from './event-stream.ts'
import type { Wire } from './http.ts'
import { residentBytes } from './processes.ts'
import { repository, type Server, startServer } from './server.ts'
import { assertProblem, clearAll, create, digit, ended, FOREVER_MS, ownModels, reaches, spin, TIME } from './tasks.ts'

const MOST = 4

let server: Server
before(async () => {
  const env = {
    MILLHAND_MODELS_DIR: ownModels,
    MILLHAND_MAX_STREAMS: String(MOST),
    MILLHAND_LOG_LEVEL: 'debug',
  }
  server = await startServer({ env })
})
after(() => server.stop())
afterEach(() => clearAll(server))

const eventsOf = (id: string) => `/v1/tasks/${id}/events`
const open = (path: string, { headers, ...request }: StreamRequest = {}) =>
  openEvents(server.url + path, { ...request, headers: { authorization: `Bearer ${server.key}`, ...headers } })

/** All events after a place. */
async function read(id: string, after?: string): Promise<StreamEvent[]> {
  using stream = await open(eventsOf(id), after === undefined ? {} : { headers: { 'last-event-id': after } })
  assert.equal(stream.status, 200, 'there is a stream')
  return await Array.fromAsync(stream)
}

const types = (events: readonly StreamEvent[]) => events.map(({ type }) => type)

test('a picture is read line by line; who resumes at any place gets exactly the rest', async () => {
  const picture = readFileSync(join(repository, 'test/fixtures/receipt.png'), 'base64')
  const { id } = await create(server, {
    type: 'inference',
    model: 'pp-ocr-v4',
    input: `data:image/png;base64,${picture}`,
  })
  const all = await read(id)
  const task = await ended(server, id)
  assert.deepEqual(types(all).slice(0, 2), ['task.queued', 'task.started'])
  assert.equal(all.at(-1)?.type, 'task.succeeded')
  const { input, ...shown } = task
  assert.ok(input, 'the task itself has its input')
  assert.deepEqual(all.at(-1)?.data.task, shown)
  const lines = all.filter(({ type }) => type === 'task.output')
  assert.ok(lines.length > 1, `${lines.length} lines`)
  for (const [at, { id: place, type, data }] of all.entries()) {
    assert.equal(place, String(data.sequence))
    assert.ok(at === 0 || data.sequence > (all[at - 1] as StreamEvent).data.sequence)
    assert.deepEqual([data.object, data.type, data.task_id], ['task_event', type, id])
    assert.match(data.created_at, TIME)
  }
  assert.deepEqual(await read(id), all)
  for (const [at, { id: place }] of all.slice(0, -1).entries()) {
    assert.deepEqual(await read(id, place), all.slice(at + 1), `after ${place}`)
  }
  const over = await server.request('GET', eventsOf(id), { headers: { 'last-event-id': String(all.at(-1)?.id) } })
  assert.equal(over.status, 204)
  assert.equal(over.text, '')
})

test('events come as they happen', async () => {
  const { id } = await create(server, spin(FOREVER_MS))
  await reaches(server, id, 'running')
  using stream = await open(eventsOf(id))
  const events = stream[Symbol.asyncIterator]()
  const next = async () => (await events.next()).value?.type
  assert.deepEqual([await next(), await next()], ['task.queued', 'task.started'])
  await server.request('DELETE', `/v1/tasks/${id}`)
  assert.deepEqual([await next(), await next(), await next()], ['task.cancelling', 'task.cancelled', undefined])
})

for (const [name, more, accept] of [
  ['`stream: true`', { stream: true }, '*/*'],
  ['`Accept: text/event-stream`', {}, 'text/event-stream'],
] as const) {
  test(`${name} answers a create with the events of the task`, async () => {
    using stream = await open('/v1/tasks', { method: 'POST', json: digit(3, more), headers: { accept } })
    assert.equal(stream.status, 201)
    const events = await Array.fromAsync(stream)
    assert.deepEqual(types(events), ['task.queued', 'task.started', 'task.succeeded'])
    assert.equal(stream.headers.location, `/v1/tasks/${events[0]?.data.task_id}`)
    assert.equal(events.at(-1)?.data.task.output.digit, 3)
  })
}

describe('the work of an employee', () => {
  const review = { task: 'sentiment_analysis', input: { texts: ['Not bad at all for the price.'] } }
  const path = '/v1/workforce/emma/tasks'
  const life = ['queued', 'started', 'succeeded'].map(state => `workforce.task.${state}`)

  for (const [name, at, json, accept] of [
    ['`stream: true`', path, { ...review, stream: true }, '*/*'],
    ['`Accept: text/event-stream`', path, review, 'text/event-stream'],
    ['`stream: true` at the short address', '/v1/tasks', { employee: 'emma', ...review, stream: true }, '*/*'],
  ] as const)
    test(`is told event by event to who asks by ${name}`, async () => {
      using stream = await open(at, { method: 'POST', json, headers: { accept } })
      assert.equal(stream.status, 201)
      const events = await Array.fromAsync(stream)
      assert.deepEqual(types(events), life)
      const { task } = events.at(-1)?.data ?? {}
      assert.equal(stream.headers.location, `${path}/${task.id}`)
      assert.equal(task.output.result.summary.texts, 1)
    })

  test('is told after the place that who resumes had come to, and at its end no more', async () => {
    const { id } = await create(server, { employee: 'emma', ...review })
    const all = await read(id)
    assert.deepEqual(types(all), life)
    for (const [at, { id: place }] of all.slice(0, -1).entries())
      for (const address of [eventsOf(id), `${path}/${id}/events`]) {
        using stream = await open(address, { headers: { 'last-event-id': String(place) } })
        assert.deepEqual(await Array.fromAsync(stream), all.slice(at + 1), `${address} after ${place}`)
      }
    const over = await server.request('GET', `${path}/${id}/events?after=${all.at(-1)?.id}`)
    assert.deepEqual([over.status, over.text], [204, ''])
  })

  test('is told to who has a token of it and no key, and nothing of another', async () => {
    const [mine, other] = [
      await create(server, { employee: 'emma', ...review }),
      await create(server, { employee: 'emma', ...review }),
    ]
    const { status, body } = await server.request('POST', `${path}/${mine.id}/stream_token`)
    assert.deepEqual([status, body.object, body.task_id], [201, 'stream_token', mine.id])
    const keyless = (address: string) => openEvents(`${server.url}${address}?stream_token=${body.token}`)
    for (const address of [eventsOf(mine.id), `${path}/${mine.id}/events`]) {
      using stream = await keyless(address)
      assert.equal(stream.status, 200)
      assert.deepEqual(types(await Array.fromAsync(stream)), life)
    }
    for (const address of [eventsOf(other.id), `${path}/${other.id}/events`, `${path}/${mine.id}`]) {
      using refused = await keyless(address)
      assert.equal(refused.status, 401, address)
    }
  })
})

test('a create that is refused is a problem, whatever was asked for', async () => {
  const headers = { accept: 'text/event-stream' }
  const json = { type: 'inference', model: 'nobody-has-this', input: 'x', stream: true }
  assertProblem(await server.request('POST', '/v1/tasks', { json, headers }), 400, 'invalid_parameter', 'model')
})

test('a stream that is not there, or is asked for wrongly, is a problem', async () => {
  const unknown = await server.request('GET', eventsOf('task_01kaje5z1cf6tvnyxkkhbm3v8h'))
  assertProblem(unknown, 404, 'not_found')
  const { id } = await create(server, digit(1))
  for (const place of ['x', '-1', '9007199254740992']) {
    const answer = await server.request('GET', eventsOf(id), { headers: { 'last-event-id': place } })
    assertProblem(answer, 400, 'invalid_parameter', 'Last-Event-ID')
    assertProblem(await server.request('GET', `${eventsOf(id)}?after=${place}`), 400, 'invalid_parameter', 'after')
  }
  const nobody = { headers: { authorization: '' } }
  assertProblem(await server.request('GET', eventsOf(id), nobody), 401, 'missing_credentials')
  assertProblem(await server.request('POST', eventsOf(id)), 405, 'method_not_allowed')
})

test('HEAD tells that there is a stream', async () => {
  const { id } = await create(server, spin(FOREVER_MS))
  const answer = await server.request('HEAD', eventsOf(id))
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'text/event-stream')
  assert.equal(answer.text, '')
})

test('a token opens the stream of its task without a key, and nothing else; no log has it', async () => {
  const { id } = await create(server, digit(4))
  const other = await create(server, digit(5))
  const made = await server.request('POST', `/v1/tasks/${id}/stream_token`)
  assert.equal(made.status, 201)
  const { object, token, task_id, expires_at } = made.body
  assert.deepEqual([object, task_id], ['stream_token', id])
  const left = Date.parse(expires_at) - Date.now()
  assert.ok(left > 800_000 && left <= 901_000, `${left} ms`)

  const withToken = (path: string, presented: string) => `${path}?stream_token=${presented}`
  using stream = await openEvents(server.url + withToken(eventsOf(id), token))
  assert.equal(stream.status, 200)
  assert.equal((await Array.fromAsync(stream)).at(-1)?.type, 'task.succeeded')

  const keyless = async (path: string, presented = token) =>
    await server.request('GET', withToken(path, presented), { headers: { authorization: '' } })
  assertProblem(await keyless(eventsOf(other.id)), 401, 'invalid_credentials')
  assertProblem(await keyless(eventsOf(id), `${token}x`), 401, 'invalid_credentials')
  assertProblem(await keyless(`/v1/tasks/${id}`), 401, 'missing_credentials')
  assertProblem(await keyless('/v1/tasks'), 401, 'missing_credentials')
  const unknown = await server.request('POST', '/v1/tasks/task_01kaje5z1cf6tvnyxkkhbm3v8h/stream_token')
  assertProblem(unknown, 404, 'not_found')
  const { stdout, stderr } = server.logs()
  assert.ok(stderr.includes(eventsOf(id)), 'the log tells of the request')
  assert.ok(!`${stdout}${stderr}`.includes(token))
})

test('open streams are capped; the place of one that leaves is free again', async () => {
  const { id } = await create(server, spin(FOREVER_MS))
  const streams = await Promise.all(Array.from({ length: MOST }, () => open(eventsOf(id))))
  for (const { status } of streams) assert.equal(status, 200)
  const refused = await server.request('GET', eventsOf(id))
  assertProblem(refused, 429, 'concurrency_limited')
  assert.match(refused.headers['retry-after'] ?? '', /^[1-9]\d*$/)
  const list = () => server.request('GET', '/v1/tasks?limit=100')
  const before: Wire = (await list()).body.data.length
  assertProblem(
    await server.request('POST', '/v1/tasks', { json: digit(1, { stream: true }) }),
    429,
    'concurrency_limited',
  )
  assert.equal((await list()).body.data.length, before, 'what is refused is not done')
  for (const stream of streams) stream[Symbol.dispose]()
  const deadline = performance.now() + 300_000
  using others = new DisposableStack()
  for (let held = 0; held < MOST; ) {
    // Those that got a place keep it: each that leaves is noticed at a time of its own.
    const stream = others.use(await open(eventsOf(id)))
    if (stream.status === 200) held++
    else {
      assert.ok(performance.now() < deadline, 'the places of those that left are free')
      // Nothing tells a caller that another has been noticed to be gone.
      await pause(100)
    }
  }
})

test('a server that stops sends its readers away at once; they go on where they were', async () => {
  const { id } = await create(server, spin(FOREVER_MS))
  await reaches(server, id, 'running')
  const seen: StreamEvent[] = []
  using stream = await open(eventsOf(id))
  let stopped: Promise<unknown> | undefined
  for await (const event of stream) {
    seen.push(event)
    if (event.type === 'task.started') stopped = server.stop()
  }
  assert.deepEqual(types(seen), ['task.queued', 'task.started', 'error'])
  const last = seen.pop()
  assert.equal(last?.data.code, 'unavailable')
  assert.equal(last?.data.request_id, stream.headers['x-request-id'])
  await stopped
  await server.restart()

  using again = await open(eventsOf(id), { headers: { 'last-event-id': String(seen.at(-1)?.id) } })
  for await (const event of again) {
    seen.push(event)
    if (event.type === 'task.started') await server.request('DELETE', `/v1/tasks/${id}`)
  }
  const story = ['task.queued', 'task.started', 'task.retrying', 'task.started', 'task.cancelling', 'task.cancelled']
  assert.deepEqual(types(seen), story)
  assert.deepEqual(await read(id), seen)
})

test('a stream that is open keeps nothing of the task’s input', async () => {
  await using own = await startServer({ env: { MILLHAND_EXECUTOR_SLOTS: '0' } })
  const pixels = `[${Array(64).fill('0').join(',')}${' '.repeat(500_000)}]`
  const { id } = await create(own, { type: 'inference', model: 'digits', input: pixels })
  const openSome = async (count: number) => {
    const headers = { authorization: `Bearer ${own.key}` }
    const open = () => openEvents(`${own.url}${eventsOf(id)}`, { headers })
    for (let opened = 0; opened < count; opened++) assert.equal((await open()).status, 200)
  }
  await openSome(50)
  const before = residentBytes(own.pid)
  await openSome(400)
  // Of each process: the input would be in one of them, and all of them grow a little.
  const grown = [...residentBytes(own.pid)].map(([pid, bytes]) => bytes - (before.get(pid) ?? 0))
  assert.ok(Math.max(...grown) < 150 * 2 ** 20, `${grown.map(bytes => Math.round(bytes / 2 ** 20))} MiB more`)
})
