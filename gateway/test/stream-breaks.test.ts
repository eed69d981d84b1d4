/** Streams that can't go on, and those that do. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { EventReader } from './event-reader.ts'
import { problemIn } from './problem.ts'
import { start, validTask } from './start.ts'
import { openWire, requestText } from './wire.ts'

const path = '/v1/tasks/a/events'
const turn = () => new Promise(resolve => setImmediate(resolve))

async function startWith(t: TestContext, options: Parameters<typeof start>[1] = {}) {
  const started = await start(t, options)
  const { services, call } = started
  services.put({ id: 'a' })
  services.streams.tell('a', { type: 'task.queued' })
  const read = async (headers: Record<string, string> = {}) => new EventReader(await call(path, { headers }))
  return { ...started, read }
}

test('where who gives the events is away, another is asked for those after the last', async t => {
  const { read, services, clock, lines } = await startWith(t)
  const reader = await read()
  assert.equal((await reader.event())?.id, '10')
  services.streams.break(fail('unavailable', 'The owner of the queue is changing.'))
  while (services.streams.open > 0) await turn()
  services.streams.tell('a', { type: 'task.started' }, { type: 'task.output', output: '1' })
  await clock.advance(100)
  assert.equal((await reader.event())?.id, '20')
  assert.equal((await reader.event())?.id, '30')
  services.streams.break(new ConnectError('the tunnel broke', Code.Unavailable))
  while (services.streams.open > 0) await turn()
  services.streams.tell('a', { type: 'task.failed' })
  await clock.advance(100)
  assert.deepEqual(
    (await reader.rest()).map(({ id }) => id),
    ['40'],
  )
  assert.deepEqual(services.streams.asked, [undefined, 10n, 30n])
  assert.ok(lines.every(({ level }) => level === 'debug'))
})

test('it goes on for 30 seconds; then the reader hears that nobody is there, and may come back', async t => {
  const { read, services, clock, lines } = await startWith(t)
  const reader = await read()
  await reader.event()
  services.streams.failure = fail('unavailable', 'The owner of the queue is changing.')
  services.streams.break(services.streams.failure)
  while (services.streams.open > 0) await turn()
  await clock.advance(29_900)
  assert.equal(
    lines.some(({ event }) => event === 'stream.cut'),
    false,
  )
  await clock.advance(200)
  const [last, ...more] = (await reader.rest()).filter(({ comment }) => comment === undefined)
  assert.deepEqual(more, [])
  assert.equal(last?.event, 'error')
  assert.equal(last?.id, undefined, 'a reader goes on after the last event that is one')
  const requestId = reader.response.headers.get('x-request-id')
  assert.deepEqual([last?.data.code, last?.data.status, last?.data.request_id], ['unavailable', 503, requestId])
  assert.equal(lines.find(({ event }) => event === 'stream.cut')?.fields.request_id, requestId)
})

test('a call that lasted is a success, also where it gave nothing', async t => {
  const { read, services, clock } = await startWith(t)
  const reader = await read({ 'last-event-id': '10' })
  for (let calls = 1; calls <= 5; calls++) {
    while (services.streams.asked.length < calls || services.streams.open === 0) await clock.advance(100)
    await clock.advance(10_000)
    services.streams.break(fail('unavailable', 'x'))
    while (services.streams.open > 0) await turn()
  }
  await clock.advance(100)
  services.streams.tell('a', { type: 'task.failed' })
  assert.equal((await reader.event())?.event, 'task.failed')
})

test('an event is a success, also of a call that breaks at once', async t => {
  const { read, services, clock } = await startWith(t)
  const reader = await read()
  await reader.event()
  for (let times = 0; times < 3; times++) {
    services.streams.failure = fail('unavailable', 'x')
    services.streams.break(services.streams.failure)
    while (services.streams.open > 0) await turn()
    await clock.advance(20_000)
    services.streams.failure = undefined
    services.streams.tell('a', { type: 'task.log', log: 'alive' })
    await clock.advance(2_000)
    let next = await reader.event()
    while (next?.comment !== undefined) next = await reader.event()
    assert.equal(next?.event, 'task.log')
  }
})

for (const [name, failure, code] of [
  ['a fault', new Error('secret at /srv/store.db'), 'internal'],
  ['a task that is removed', fail('not_found', 'There is no task `a`.'), 'not_found'],
] as const) {
  test(`${name} in the middle of a stream is its last event`, async t => {
    const { read, services, lines } = await startWith(t)
    const reader = await read()
    await reader.event()
    services.streams.break(failure)
    const events = await reader.rest()
    assert.deepEqual(
      events.map(({ event, data }) => [event, data.code]),
      [['error', code]],
    )
    assert.ok(!JSON.stringify(events).includes('/srv'))
    assert.equal(lines.find(({ event }) => event === 'stream.cut')?.level, code === 'internal' ? 'error' : 'info')
  })
}

test('of a task that has ended, what fails before the first event is a problem', async t => {
  const { call, services } = await startWith(t)
  services.finish('a')
  services.streams.failure = fail('internal', 'x')
  await problemIn(await call(path, { headers: { 'last-event-id': '10' } }), 'internal')
})

test('a gateway that stops sends its readers elsewhere at once', async t => {
  const { read, gateway, services } = await startWith(t, { limits: { stopMs: 600_000 } })
  const reader = await read()
  await reader.event()
  const closed = gateway.close()
  const events = await reader.rest()
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.code]),
    [['error', 'unavailable']],
  )
  await closed
  assert.equal(services.streams.open, 0)
})

test('a create that is on when the gateway stops is answered, and its events are had elsewhere', async t => {
  const { gateway, post, services } = await startWith(t)
  const gate = Promise.withResolvers<void>()
  services.keys.gate = gate.promise
  const answer = post({ ...validTask, stream: true })
  while (services.keys.authentications === 0) await turn()
  const closed = gateway.close()
  gate.resolve()
  const reader = new EventReader(await answer)
  assert.equal(reader.response.status, 201)
  assert.deepEqual(
    (await reader.rest()).map(({ event, data }) => [event, data.code]),
    [['error', 'unavailable']],
  )
  await closed
})

/** So much that no socket holds it. */
const MUCH = 8 * 1024 * 1024

/** A stream with much in it, whose reader does not read. */
async function stuck(t: TestContext, eventBytes: number) {
  const started = await startWith(t, { limits: { streamReaderMs: 20_000 } })
  const { services, port, key } = started
  const output = JSON.stringify('x'.repeat(eventBytes))
  for (let n = 0; n < MUCH / eventBytes; n++) services.streams.tell('a', { type: 'task.output', output })
  const wire = await openWire(port)
  wire.socket.pause()
  wire.send(requestText(`GET ${path}`, [`Authorization: Bearer ${key}`]))
  let before = -1
  while (services.streams.sent === 0 || services.streams.sent !== before) {
    before = services.streams.sent
    for (let n = 0; n < 500; n++) await turn()
  }
  assert.ok(services.streams.sent * eventBytes < MUCH, 'all of it was taken')
  return { ...started, wire }
}

for (const eventBytes of [4_096, 1_048_576]) {
  test(`a reader that takes nothing is cut, behind what is unsent, and goes on: events of ${eventBytes} bytes`, async t => {
    const { wire, clock, services, read } = await stuck(t, eventBytes)
    await clock.advance(19_999)
    assert.equal(services.streams.open, 1)
    await clock.advance(1)
    assert.equal(services.streams.open, 0)
    wire.socket.resume()
    const answer = await wire.until('event: error')
    assert.match(answer, /"code":"deadline_exceeded"/)
    const events = answer.slice(answer.indexOf('\r\n\r\n') + 4).replaceAll(/\r\n[0-9a-f]+\r\n/g, '')
    const last = events.split('\n\n').findLast(block => block.includes('event: task.output')) ?? ''
    assert.equal(JSON.parse(/data: (.*)/.exec(last)?.[1] ?? '').output.length, eventBytes)
    wire.socket.destroy()
    const place = /^id: (\d+)$/m.exec(last)?.[1] ?? ''
    const reader = await read({ 'last-event-id': place })
    assert.equal((await reader.event())?.id, String(Number(place) + 10))
    await reader.leave()
  })
}

test('one that takes nothing then either is disconnected', async t => {
  const { wire, clock, services, lines } = await stuck(t, 4_096)
  await clock.advance(22_000)
  wire.socket.resume()
  assert.doesNotMatch(await wire.rest(), /\r\n0\r\n\r\n$/, 'the answer is not whole')
  assert.equal(services.streams.open, 0)
  assert.ok(lines.some(({ event }) => event === 'stream.cut'))
})

test('so is one that takes nothing of the stream before: no place is kept for what can not be sent', async t => {
  const { services, port, key, clock, read } = await startWith(t, { limits: { streams: 2, streamReaderMs: 20_000 } })
  services.put({ id: 'b' })
  const output = JSON.stringify('x'.repeat(4_096))
  for (let n = 0; n < 100; n++) services.streams.tell('b', { type: 'task.output', output })
  const wire = await openWire(port)
  const request = (id: string) => requestText(`GET /v1/tasks/${id}/events`, [`Authorization: Bearer ${key}`])
  wire.send(request('a') + request('b'))
  await wire.until('task.queued')
  while (services.streams.sent < 2) await turn()
  for (let n = 0; n < 100; n++) await turn()
  await clock.advance(22_000)
  await wire.rest()
  while (services.streams.open > 0) await turn()
  for (const reader of [await read(), await read()]) await reader.event()
})

test('a slow reader that takes something in its time is not cut, and misses nothing', async t => {
  const { wire, clock, services } = await stuck(t, 4_096)
  await clock.advance(19_999)
  wire.socket.resume()
  while (services.streams.sent < MUCH / 4_096) await turn()
  await clock.advance(19_999)
  services.streams.tell('a', { type: 'task.failed' })
  const answer = await wire.until('task.failed')
  assert.equal(answer.match(/event: task\.output/g)?.length, MUCH / 4_096)
  wire.socket.destroy()
})
