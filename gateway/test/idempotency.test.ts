/** What comes of a request with an `Idempotency-Key`, whatever becomes of who sent it and who answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { fail, type ProblemCode } from '@millhand/api'
import { StoredAnswerSchema } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { problemIn } from './problem.ts'
import { start, validTask } from './start.ts'
import { openWire, requestText } from './wire.ts'

const keyed = { 'idempotency-key': 'order 66' }

const turn = () => new Promise(resolve => setImmediate(resolve))

test('a replay is the first answer byte for byte, with its own request id', async t => {
  const { post, services } = await start(t)
  const first = await post(validTask, { ...keyed, prefer: 'wait=1' })
  services.waitsAreOver = true
  const bytes = await first.text()
  const again = await post(validTask, keyed)
  assert.equal(await again.text(), bytes)
  assert.equal(again.status, 201)
  for (const name of ['content-type', 'location', 'etag', 'preference-applied', 'cache-control']) {
    assert.equal(again.headers.get(name), first.headers.get(name), name)
  }
  assert.ok(first.headers.get('location') && first.headers.get('preference-applied'))
  assert.deepEqual(
    [first, again].map(({ headers }) => headers.get('idempotent-replayed')),
    [null, 'true'],
  )
  assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
  assert.equal(services.created.length, 1)
})

test('a long answer is kept whole', async t => {
  const { post, services } = await start(t)
  const long = { ...validTask, input: `${'"\\'.repeat(20_000)}ü` }
  const first = await (await post(long, keyed)).text()
  assert.equal(await (await post(long, keyed)).text(), first)
  assert.ok((services.idempotency.only.answer?.body.length ?? 0) < 2_000)
})

test('a key is 1 to 255 printable ASCII characters, and counts for POST alone', async t => {
  const { call, post, services } = await start(t)
  for (const key of ['', 'x'.repeat(256), 'schlüssel', 'a\tb']) {
    await problemIn(await post(validTask, { 'idempotency-key': key }), 'invalid_idempotency_key')
  }
  assert.equal((await post(validTask, { 'idempotency-key': `!${'~'.repeat(254)}` })).status, 201)
  for (const method of ['GET', 'DELETE']) {
    const path = `/v1/tasks/${[...services.tasks.keys()][0]}`
    assert.equal((await call(path, { method, headers: { 'idempotency-key': '' } })).status, 200)
  }
  assert.equal(services.idempotency.kept.size, 1)
})

test('another path, query or body with the same key is a mismatch', async t => {
  const { post, call, services } = await start(t)
  const { id } = (await (await post(validTask, keyed)).json()) as { id: string }
  const token = (path: string) => call(path, { method: 'POST', headers: keyed })
  await problemIn(await post({ ...validTask, priority: 'high' }, keyed), 'idempotency_mismatch')
  await problemIn(await token(`/v1/tasks/${id}/stream_token`), 'idempotency_mismatch')
  const other = { 'idempotency-key': 'other' }
  const path = `/v1/tasks/${id}/stream_token`
  assert.equal((await call(path, { method: 'POST', headers: other })).status, 201)
  await problemIn(await call(`${path}?`, { method: 'POST', headers: other }), 'idempotency_mismatch')
  assert.equal(services.created.length, 1)
})

test('while one is at it, others are told to come again', async t => {
  const { post, services } = await start(t)
  const gate = Promise.withResolvers<void>()
  services.createGate = gate.promise
  const first = post(validTask, keyed)
  while (services.calls.length === 0) await turn()
  const others = await Promise.all(Array.from({ length: 7 }, () => post(validTask, keyed)))
  for (const other of others) {
    await problemIn(other, 'idempotency_in_progress')
    assert.equal(other.headers.get('retry-after'), '1')
  }
  gate.resolve()
  const bytes = await (await first).text()
  assert.equal(await (await post(validTask, keyed)).text(), bytes)
  assert.equal(services.created.length, 1)
})

test('what the service says is kept below 500, but not that the caller may not now', async t => {
  for (const [code, isKept, told] of [
    ['model_input_invalid', true, 'complete'],
    ['conflict', true, 'complete'],
    ['spending_limit_reached', false, 'forget'],
    ['queue_full', false, 'forget'],
    ['internal', false, 'release'],
    ['unavailable', false, 'release'],
  ] as const satisfies [ProblemCode, boolean, string][]) {
    const { post, services } = await start(t)
    services.failure = fail(code, 'So it is.')
    const first = await post(validTask, keyed)
    const bytes = await first.text()
    assert.equal(JSON.parse(bytes).code, code)
    assert.deepEqual(services.idempotency.calls, ['reserve', told])
    services.failure = undefined
    const again = await post(validTask, keyed)
    assert.equal(again.status, isKept ? first.status : 201, code)
    if (isKept) assert.equal(await again.text(), bytes)
    assert.equal(again.headers.get('idempotent-replayed'), isKept ? 'true' : null)
  }
})

test('a call that is lost on its way is made again, within its time, and once', async t => {
  const { post, services, clock } = await start(t)
  const lost = new ConnectError('the connection was lost', Code.Unavailable)
  services.failure = lost
  const answer = post(validTask, keyed)
  while (services.calls.length === 0) await turn()
  services.failure = undefined
  await clock.advance(500)
  assert.equal((await answer).status, 201)
  assert.equal(services.created.length, 1)
  assert.deepEqual(services.idempotency.calls, ['reserve', 'complete'])

  services.failure = lost
  const { length } = services.calls
  const another = post(validTask, { ...keyed, 'idempotency-key': 'another' })
  while (services.calls.length === length) await turn()
  await clock.advance(5_000)
  await problemIn(await another, 'unavailable')
  assert.ok(services.calls.length > length + 5)
  // What a later call says is not kept: the first may be at it still.
  const third = { ...keyed, 'idempotency-key': 'a third' }
  const before = services.calls.length
  const refused = post(validTask, third)
  while (services.calls.length === before) await turn()
  services.failure = fail('conflict', 'It is full.')
  await clock.advance(500)
  await problemIn(await refused, 'unavailable')
  services.failure = undefined
  assert.equal((await post(validTask, third)).status, 201)
  services.failure = lost
  // Without a key nobody knows whether it was done.
  services.calls.length = 0
  await problemIn(await post(validTask), 'unavailable')
  assert.equal(services.calls.length, 1)
})

test('a caller is answered at once while the store of a service is known to be down', { timeout: 60_000 }, async t => {
  const { post, services, clock } = await start(t)
  services.idempotency.failure = fail('unavailable', 'The store is down.', {
    retryAfterS: 2,
    metadata: { circuit: 'open' },
  })
  const answer = await post(validTask, keyed) // The clock stands still: no pause before another try would end.
  await problemIn(answer, 'unavailable')
  assert.deepEqual(services.idempotency.calls, ['reserve'])
  services.idempotency.failure = undefined
  assert.equal((await post(validTask, keyed)).status, 201)
  assert.equal(clock.monotonic(), 0)
})

test('what can not be read is not kept', async t => {
  const { post, services } = await start(t)
  await problemIn(await post('{', keyed), 'invalid_json')
  await problemIn(await post({ ...validTask, colour: 'red' }, keyed), 'unknown_parameter')
  await problemIn(await post({ type: 'inference', model: 'digits' }, keyed), 'missing_parameter')
  await problemIn(await post({ ...validTask, type: undefined }, keyed), 'missing_parameter')
  assert.deepEqual(services.idempotency.calls, [])
  assert.equal((await post(validTask, keyed)).status, 201)
})

test('it is held for as long as the call takes', async t => {
  const { post, services, clock } = await start(t)
  const gate = Promise.withResolvers<void>()
  services.createGate = gate.promise
  const answer = post(validTask, keyed)
  while (services.calls.length === 0) await turn()
  await clock.advance(10_000)
  assert.deepEqual(services.idempotency.calls, ['reserve', 'renew', 'renew', 'renew'])
  gate.resolve()
  assert.equal((await answer).status, 201)
  await clock.advance(60_000)
  assert.equal(services.idempotency.calls.at(-1), 'complete')
})

test('where identity can not be asked nothing is done', async t => {
  const { post, services, clock } = await start(t)
  services.idempotency.away = new Set(['reserve'])
  const answer = post(validTask, keyed)
  while (services.idempotency.calls.length === 0) await turn()
  await clock.advance(5_000)
  await problemIn(await answer, 'unavailable')
  assert.equal(services.created.length, 0)
})

test('what is not stored is not said; it is asked again before that', async t => {
  const { post, services, clock } = await start(t)
  services.idempotency.away = new Set(['complete'])
  const answer = post(validTask, keyed)
  while (!services.idempotency.calls.includes('complete')) await turn()
  await clock.advance(5_000)
  await problemIn(await answer, 'unavailable')
  assert.ok(services.idempotency.calls.filter(call => call === 'complete').length > 5)
  services.idempotency.only.holder = undefined // Its lease has ended.
  services.idempotency.away = new Set()
  const again = await post(validTask, keyed)
  assert.equal(again.status, 201)
  assert.equal(services.created.length, 1)
})

test('who was too slow says what counts', async t => {
  const { post, services } = await start(t)
  const gate = Promise.withResolvers<void>()
  services.createGate = gate.promise
  const slow = post(validTask, keyed)
  while (services.calls.length === 0) await turn()
  const headers = ['Content-Type', 'application/json', 'Location', '/v1/tasks/it']
  services.idempotency.only.answer = create(StoredAnswerSchema, { status: 201, headers, body: Buffer.from('{}') })
  gate.resolve()
  const answer = await slow
  assert.deepEqual([await answer.text(), answer.headers.get('location')], ['{}', '/v1/tasks/it'])
  assert.equal(answer.headers.get('idempotent-replayed'), 'true')
  assert.equal(answer.headers.get('etag'), null)
})

test('who was too slow says nothing where nothing counts yet', async t => {
  const { post, services } = await start(t)
  const gate = Promise.withResolvers<void>()
  services.createGate = gate.promise
  const slow = post(validTask, keyed)
  while (services.calls.length === 0) await turn()
  services.idempotency.only.holder = 'another'
  gate.resolve()
  await problemIn(await slow, 'idempotency_in_progress')
})

for (const [when, prefer] of [
  ['during the call', []],
  ['before it would wait', ['Prefer: wait=60']],
  ['while it waits', ['Prefer: wait=60']],
] as const) {
  test(`a caller that leaves ${when} changes nothing`, async t => {
    const { port, key, post, services } = await start(t)
    const gate = Promise.withResolvers<void>()
    services.createGate = gate.promise
    const body = JSON.stringify(validTask)
    const wire = await openWire(port)
    const headers = [
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Idempotency-Key: order 66',
    ]
    wire.send(requestText('POST /v1/tasks', [...headers, ...prefer], body))
    while (services.calls.length === 0) await turn()
    if (when === 'while it waits') {
      gate.resolve()
      while (services.openWaits === 0) await turn()
    }
    // Once as a system that closes, once as one that resets: only that is known at once for one that has gone.
    if (when === 'before it would wait') wire.socket.resetAndDestroy()
    else wire.socket.destroy()
    await wire.rest()
    for (let turns = 0; turns < 20; turns++) await turn() // Until the gateway has heard of it.
    gate.resolve()
    while (services.idempotency.only.answer === undefined) await turn()
    const again = await post(validTask, keyed)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual([again.status, services.created.length], [201, 1])
  })
}
