/** The events of a task, as its reader gets them. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fail } from '@millhand/api'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { EventReader } from './event-reader.ts'
import { problemIn } from './problem.ts'
import { start } from './start.ts'
import { openWire, requestText } from './wire.ts'

const path = '/v1/tasks/a/events'
const turn = () => new Promise(resolve => setImmediate(resolve))

/** A gateway, and a task `a` that is queued. */
async function startWith(t: TestContext, options: Parameters<typeof start>[1] = {}) {
  const started = await start(t, options)
  const { services, call } = started
  services.put({ id: 'a' })
  services.streams.tell('a', { type: 'task.queued' })
  const read = async (headers: Record<string, string> = {}, query = '') =>
    new EventReader(await call(path + query, { headers }))
  const finish = () => {
    services.finish('a')
    services.streams.tell('a', { type: 'task.succeeded', task: services.tasks.get('a') as never })
  }
  return { ...started, read, finish }
}

test('a stream tells each event as it happens, and ends with the task', async t => {
  const { read, services, finish } = await startWith(t)
  const reader = await read()
  const { headers, status } = reader.response
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('x-accel-buffering'), 'no')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.deepEqual(await reader.block(), { retry: '1000' })
  assert.deepEqual(await reader.block(), {
    id: '10',
    event: 'task.queued',
    data: { object: 'task_event', sequence: 10, type: 'task.queued', task_id: 'a', attempt: 0 },
  })
  services.streams.tell('a', { type: 'task.output', attempt: 1, output: '{\n  "text": "a\\nb"\r\n}' })
  const output = await reader.event()
  assert.deepEqual(output?.data.output, { text: 'a\nb' })
  finish()
  const last = await reader.event()
  assert.equal(last?.event, 'task.succeeded')
  assert.equal(last?.data.task.status, 'succeeded')
  assert.equal(await reader.event(), undefined)
  assert.equal(services.streams.open, 0)
})

test('the head comes at once, also where no event does', async t => {
  const { read, services } = await startWith(t)
  const reader = await read({ 'last-event-id': '10' })
  assert.equal(reader.response.status, 200)
  assert.deepEqual(await reader.block(), { retry: '1000' })
  assert.deepEqual(services.streams.asked, [10n])
  await reader.leave()
})

test('a reader goes on after the place that its header names, else its query', async t => {
  const { read, services, finish } = await startWith(t)
  for (const n of [1, 2, 3]) services.streams.tell('a', { type: 'task.output', output: `${n}` })
  finish()
  const ids = async (reader: EventReader) => (await reader.rest()).map(({ id }) => id)
  assert.deepEqual(await ids(await read()), ['10', '20', '30', '40', '50'])
  assert.deepEqual(await ids(await read({ 'last-event-id': '0' })), ['10', '20', '30', '40', '50'])
  for (const [at, id] of ['10', '20', '30', '40'].entries()) {
    const after = ['20', '30', '40', '50'].slice(at)
    assert.deepEqual(await ids(await read({ 'last-event-id': id })), after)
    assert.deepEqual(await ids(await read({}, `?after=${id}`)), after)
    assert.deepEqual(await ids(await read({ 'last-event-id': id }, '?after=0')), after)
  }
})

test('a reader that has all of an ended stream is told to stay away', async t => {
  const { call, finish, services } = await startWith(t)
  finish()
  for (const method of ['GET', 'HEAD']) {
    const response = await call(path, { method, headers: { 'last-event-id': '20' } })
    assert.equal(response.status, 204)
    assert.equal(await response.text(), '')
    assert.equal(response.headers.get('cache-control'), 'no-store')
  }
  assert.equal(services.streams.open, 0)
})

test('HEAD answers with the head alone', async t => {
  const { call, finish, services } = await startWith(t)
  const head = async (headers: Record<string, string>) => {
    const response = await call(path, { method: 'HEAD', headers })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/event-stream')
    assert.equal(await response.text(), '')
  }
  await head({})
  finish()
  await head({})
  await head({ 'last-event-id': '10' })
  assert.equal(services.streams.open, 0)
})

test('what is wrong before the first event is a problem like any other', async t => {
  const { call, url, services } = await startWith(t)
  await problemIn(await call('/v1/tasks/b/events'), 'not_found')
  await problemIn(await fetch(url + path), 'missing_credentials')
  const authorization = `Bearer ${services.key(['tasks:write'])}`
  await problemIn(await call(path, { headers: { authorization } }), 'insufficient_scope')
  for (const headers of [{}, { 'last-event-id': '10' }] as Record<string, string>[]) {
    for (const after of ['-1', 'x', '9007199254740992']) {
      const problem = await problemIn(await call(`${path}?after=${after}`, { headers }), 'invalid_parameter')
      assert.deepEqual(
        problem.errors?.map(({ param }: { param: string }) => param),
        ['after'],
      )
    }
  }
  await problemIn(await call(`${path}?afterwards=1`), 'unknown_parameter')
  for (const id of ['', '-1', '1.5', '0x10', 'ten', '9007199254740992', '1'.repeat(40), '1, 2']) {
    const problem = await problemIn(await call(path, { headers: { 'last-event-id': id } }), 'invalid_parameter')
    assert.equal(problem.param, 'Last-Event-ID', id)
  }
  assert.deepEqual(services.streams.asked, [])
  services.failure = fail('unavailable', 'x')
  await problemIn(await call(path), 'unavailable')
})

test('a comment comes every 15 seconds, to all streams', async t => {
  const { read, clock } = await startWith(t)
  const readers = [await read(), await read()]
  for (const reader of readers) assert.equal((await reader.event())?.event, 'task.queued')
  for (let beats = 0; beats < 3; beats++) {
    await clock.advance(15_000)
    for (const reader of readers) assert.deepEqual(await reader.block(), { comment: '' })
  }
  for (const reader of readers) await reader.leave()
})

test('streams of an account are capped, and their places given back', async t => {
  const { call, read, post, services, finish, clock } = await startWith(t, { limits: { streams: 2 } })
  const readers = [await read(), await read()]
  const refused = await call(path)
  assert.equal(refused.headers.get('retry-after'), '5')
  await problemIn(refused, 'concurrency_limited')
  const before = services.created.length
  await problemIn(await post({ type: 'inference', model: 'digits', input: 'x', stream: true }), 'concurrency_limited')
  assert.equal(services.created.length, before, 'what is refused is not done')
  const other = services.key(['*'], { accountId: 'acct_2' })
  const others = new EventReader(await call(path, { headers: { authorization: `Bearer ${other}` } }))
  await readers[0]?.event()
  await readers[0]?.leave()
  while (services.streams.open > 2) await clock.advance(100)
  const third = await read()
  finish()
  for (const reader of [readers[1], third, others]) await reader?.rest()
  await problemIn(await call('/v1/tasks/b/events'), 'not_found')
  for (let n = 0; n < 3; n++) await (await read()).rest()
})

test('a reader that leaves ends the call within a second', async t => {
  const { url, port, key, services, lines, clock } = await startWith(t)
  const wire = await openWire(port)
  wire.send(requestText(`GET ${path}`, [`Authorization: Bearer ${key}`]))
  await wire.until('task.queued')
  assert.equal(services.streams.open, 1)
  wire.socket.destroy()
  // That it left has come too when what is sent after it is answered.
  for (let n = 0; n < 3; n++) await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  await clock.advance(1_000)
  while (services.streams.open > 0) await turn()
  assert.ok(lines.every(({ level }) => level === 'debug'))
})

test('one that leaves while an answer before its stream is on its way ends the call too', async t => {
  const { port, key, services } = await startWith(t)
  const wire = await openWire(port)
  const request = requestText(`GET ${path}`, [`Authorization: Bearer ${key}`])
  wire.send(request + request)
  while (services.streams.open < 2) await turn()
  wire.socket.destroy()
  while (services.streams.open > 0) await turn()
})

test('one that sends its last byte (FIN) gets what comes in a second, and hears why it ends', async t => {
  const { port, key, services, clock } = await startWith(t)
  const wire = await openWire(port)
  wire.socket.end(requestText(`GET ${path}`, [`Authorization: Bearer ${key}`]))
  await wire.until('task.queued')
  services.streams.tell('a', { type: 'task.started' })
  await wire.until('task.started')
  while (services.streams.open > 0) await clock.advance(100)
  assert.match(await wire.rest(), /event: error\ndata: \{.*"code":"unavailable".*\}\n\n/)
})

test('one whose last byte came before its stream began is not waited for either', async t => {
  const { url, port, key, services, clock } = await startWith(t)
  const gate = Promise.withResolvers<void>()
  services.keys.gate = gate.promise
  const wire = await openWire(port)
  wire.socket.end(requestText(`GET ${path}`, [`Authorization: Bearer ${key}`]))
  // The end has come too when what is sent after it is answered.
  for (let n = 0; n < 3; n++) await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  gate.resolve()
  await wire.until('task.queued')
  while (services.streams.open > 0) await clock.advance(100)
  assert.match(await wire.rest(), /event: error/)
})

test('a task that has ended comes whole to who sends its last byte with the request', async t => {
  const { port, key, finish } = await startWith(t)
  finish()
  const wire = await openWire(port)
  wire.socket.end(requestText(`GET ${path}`, [`Authorization: Bearer ${key}`]))
  const answer = await wire.rest()
  assert.match(answer, /task\.succeeded/)
  assert.doesNotMatch(answer, /event: error/)
})

test('after a stream its connection serves the next request', async t => {
  const { port, key, finish } = await startWith(t)
  finish()
  const wire = await openWire(port)
  const request = requestText(`GET ${path}`, [`Authorization: Bearer ${key}`])
  wire.send(request + requestText('GET /healthz', ['Connection: close']))
  const answers = (await wire.rest()).split('HTTP/1.1 ').slice(1)
  assert.deepEqual(
    answers.map(answer => answer.slice(0, 3)),
    ['200', '200'],
  )
})

test('a page of another origin may read a stream, and go on with it', async t => {
  const { call, finish } = await startWith(t)
  finish()
  const response = await call(path, { headers: { origin: 'https://app.example' } })
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  await response.text()
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
  const preflight = await call(path, { method: 'OPTIONS', headers })
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /\bLast-Event-ID\b/)
})

test('a stream token opens the one stream that it was made for', async t => {
  const { url, call, services, finish, lines } = await startWith(t)
  services.put({ id: 'b', status: TaskStatus.QUEUED })
  services.streams.tokens.set('secret-token', 'a')
  finish()
  const open = (of: string, query: string) => fetch(`${url}/v1/tasks/${of}/events?${query}`)
  const reader = new EventReader(await open('a', 'stream_token=secret-token&after=10'))
  assert.deepEqual(
    (await reader.rest()).map(({ id }) => id),
    ['20'],
  )
  assert.equal(services.calls.at(-1)?.principal, 'acct_1/live')
  for (const refused of [
    await open('b', 'stream_token=secret-token'),
    await open('a', 'stream_token=other'),
    await open('a', 'stream_token='),
  ]) {
    assert.match((await problemIn(refused, 'invalid_credentials')).detail, /token/)
  }
  await problemIn(await fetch(`${url}/v1/tasks/a?stream_token=secret-token`), 'missing_credentials')
  await problemIn(await open('a', 'stream_token=secret-token&stream_token=secret-token'), 'unknown_parameter')
  // Where there is a key too, it is the key that counts.
  assert.equal((await call(`${path}?stream_token=other`)).status, 200)
  const wrong = { authorization: `Bearer ${services.key(['tasks:write'])}` }
  await problemIn(await call(`${path}?stream_token=secret-token`, { headers: wrong }), 'insufficient_scope')
  assert.ok(!JSON.stringify(lines).includes('secret-token'))
})
