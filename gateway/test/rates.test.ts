/** Request rates, as callers see them. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createApiKey } from '@millhand/api'
import { problemIn } from './problem.ts'
import { start, validTask } from './start.ts'
import { openWire, requestText } from './wire.ts'

const path = '/v1/tasks'

/** A gateway, and calls with keys of a plan of `computePerMinute` requests. */
async function startWith(t: TestContext, computePerMinute: number) {
  const started = await start(t)
  const plan = { computePerMinute }
  const as = (key: string) => ({ authorization: `Bearer ${key}` })
  const headers = as(started.services.key(['*'], plan))
  const get = (at = path, more: Record<string, string> = {}) => started.call(at, { headers: { ...headers, ...more } })
  return { ...started, plan, as, headers, get }
}

const rateOf = ({ headers }: Response) => [headers.get('ratelimit-policy'), headers.get('ratelimit')]

test('each answer tells the plan, what is left of it, and when it is one more', async t => {
  const { get, clock } = await startWith(t, 3)
  const policy = '"compute";q=3;w=60'
  assert.deepEqual(rateOf(await get()), [policy, '"compute";r=2;t=60'])
  await clock.advance(20_500)
  assert.deepEqual(rateOf(await get()), [policy, '"compute";r=1;t=40'])
  await clock.advance(39_500)
  assert.deepEqual(rateOf(await get()), [policy, '"compute";r=1;t=21'])
})

test('over the plan it is 429 until `Retry-After`, to the millisecond', async t => {
  const { get, clock, services } = await startWith(t, 2)
  await get()
  await clock.advance(1_000)
  await get()
  await clock.advance(8_001)
  const before = services.listed.length
  const refused = await get()
  await problemIn(refused, 'rate_limited')
  assert.equal(refused.headers.get('retry-after'), '51')
  assert.deepEqual(rateOf(refused), ['"compute";q=2;w=60', '"compute";r=0;t=51'])
  assert.equal(services.listed.length, before)
  await clock.advance(50_998)
  await problemIn(await get(), 'rate_limited')
  await clock.advance(1)
  assert.equal((await get()).status, 200)
  await problemIn(await get(), 'rate_limited')
})

test('every authenticated answer tells it: also errors, 304, streams, uploads and downloads', async t => {
  const { url, call, get, headers, services } = await startWith(t, 100)
  services.put({ id: 'a' })
  services.finish('a')
  services.streams.tell('a', { type: 'task.queued' }, { type: 'task.succeeded' })
  const json = { ...headers, 'content-type': 'application/json' }
  const etag = (await get(`${path}/a`)).headers.get('etag') as string
  const upload = await call('/v1/files?purpose=input', { method: 'POST', headers, body: 'content' })
  const { id } = (await upload.clone().json()) as { id: string }
  for (const [status, answer] of [
    [200, await get(path)],
    [201, await call(path, { method: 'POST', headers: json, body: JSON.stringify(validTask) })],
    [201, upload],
    [200, await get(`/v1/files/${id}/content`)],
    [206, await get(`/v1/files/${id}/content`, { range: 'bytes=0-1' })],
    [304, await get(`${path}/a`, { 'if-none-match': etag })],
    [200, await get(`${path}/a/events`)],
    [404, await get(`${path}/b`)],
    [400, await get(`${path}?nothing=1`)],
    [400, await call(path, { method: 'POST', headers: json, body: '{' })],
    [415, await call(path, { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: 'x' })],
  ] as const) {
    assert.equal(answer.status, status)
    assert.deepEqual(rateOf(answer)[0], '"compute";q=100;w=60', `${status}`)
    assert.match(rateOf(answer)[1] ?? '', /^"compute";r=\d+;t=\d+$/)
  }
  for (const other of [await fetch(`${url}/healthz`), await fetch(url + path)]) {
    assert.deepEqual(rateOf(other), [null, null])
  }
  const page = await get(path, { origin: 'https://app.example' })
  assert.match(page.headers.get('access-control-expose-headers') ?? '', /\bRateLimit, RateLimit-Policy\b/)
})

test('an account has one window for all its keys; another account and no limit have none of it', async t => {
  const { call, get, as, plan, services } = await startWith(t, 1)
  await get()
  await problemIn(await call(path, { headers: as(services.key(['*'], plan)) }), 'rate_limited')
  const other = await call(path, { headers: as(services.key(['*'], { ...plan, accountId: 'acct_2' })) })
  assert.equal(other.status, 200)
  const unlimited = await call(path)
  assert.equal(unlimited.status, 200)
  assert.deepEqual(rateOf(unlimited), [null, null])
})

test('what fails before the window takes no place of it; what fails behind it does', async t => {
  const { call, get, as, plan, headers, services } = await startWith(t, 1)
  await problemIn(await call(path, { headers: as(createApiKey('live')) }), 'invalid_credentials')
  await problemIn(
    await call(path, { headers: as(services.key(['*'], { ...plan, isSuspended: true })) }),
    'account_suspended',
  )
  await problemIn(await call('/v1/nothing', { headers }), 'unknown_route')
  await problemIn(await call(path, { headers: as(services.key([], plan)) }), 'insufficient_scope')
  await problemIn(await get(), 'rate_limited')
})

test('a stream token counts in the window of the account that it was made for', async t => {
  const { url, services, clock, key } = await startWith(t, 1)
  services.keys.change(key, { computePerMinute: 1 })
  services.put({ id: 'a' })
  services.finish('a')
  services.streams.tell('a', { type: 'task.succeeded' })
  services.streams.tokens.set('token', 'a')
  await clock.advance(500)
  const open = () => fetch(`${url}${path}/a/events?stream_token=token`)
  const first = await open()
  assert.deepEqual(rateOf(first), ['"compute";q=1;w=60', '"compute";r=0;t=60'])
  await problemIn(await open(), 'rate_limited')
})

const KIB = 1024
/** A request to create a task whose body has so many bytes. */
const ofBytes = (bytes: number) => {
  const text = JSON.stringify({ ...validTask, input: '' })
  return text.replace('"input":""', `"input":"${'x'.repeat(bytes - text.length)}"`)
}
/** The same in chunks, without a length. */
const inChunks = (text: string) => ({ body: new Blob([text]).stream(), duplex: 'half' as const })

test('a request counts once for each 64 KiB that its body begins', async t => {
  const { call, headers } = await startWith(t, 100)
  const send = (init: RequestInit) =>
    call(path, { method: 'POST', ...init, headers: { ...headers, 'content-type': 'application/json' } })
  for (const [init, left] of [
    [{ body: ofBytes(64 * KIB) }, 99],
    [{ body: ofBytes(64 * KIB + 1) }, 97],
    [{ body: ofBytes(512 * KIB) }, 89],
    [{ body: `{"x":"${'x'.repeat(1_000_000)}"}` }, 73],
    [inChunks(ofBytes(100)), 72],
    [inChunks(ofBytes(200 * KIB)), 68],
    [{ body: 'x'.repeat(2_000 * KIB) }, 67],
  ] as const) {
    assert.equal(rateOf(await send(init))[1], `"compute";r=${left};t=60`)
  }
  const upload = await call('/v1/files?purpose=input', { method: 'POST', headers, body: 'x'.repeat(1_000_000) })
  assert.equal(rateOf(upload)[1], '"compute";r=66;t=60', 'a file is not parsed')
})

test('a heavy request passes once there is room for all of it, to the second that `Retry-After` says', async t => {
  const { call, get, headers, clock, services } = await startWith(t, 10)
  const json = { ...headers, 'content-type': 'application/json' }
  const send = (init: RequestInit) => call(path, { method: 'POST', ...init, headers: json })
  for (let n = 0; n < 8; n++) {
    await get()
    await clock.advance(1_000)
  }
  const refused = await send({ body: ofBytes(300 * KIB) })
  await problemIn(refused, 'rate_limited')
  assert.equal(refused.headers.get('retry-after'), '54', 'when three of the eight have left')
  assert.equal(rateOf(refused)[1], '"compute";r=2;t=52')
  assert.equal(services.created.length, 0)
  await clock.advance(53_999)
  await problemIn(await send({ body: ofBytes(300 * KIB) }), 'rate_limited')
  await clock.advance(1)
  assert.equal((await send({ body: ofBytes(300 * KIB) })).status, 201)

  const late = await send(inChunks(ofBytes(512 * KIB)))
  await problemIn(late, 'rate_limited')
  await clock.advance(Number(late.headers.get('retry-after')) * 1_000)
  assert.equal((await send(inChunks(ofBytes(512 * KIB)))).status, 201)
})

test('a request that is heavier than the plan takes all of it', async t => {
  const { call, headers } = await startWith(t, 3)
  const json = { ...headers, 'content-type': 'application/json' }
  for (const init of [{ body: ofBytes(500 * KIB) }, inChunks(ofBytes(500 * KIB))]) {
    const answer = await call(path, { method: 'POST', ...init, headers: json })
    await (init.body instanceof ReadableStream ? problemIn(answer, 'rate_limited') : answer.text())
    assert.equal(rateOf(answer)[1], '"compute";r=0;t=60')
  }
})

test('a connection that asks on before it has heard that it is over the plan ends with that answer', async t => {
  const { port, headers, services } = await startWith(t, 3)
  const wire = await openWire(port)
  const one = requestText(`GET ${path}`, [`Authorization: ${headers.authorization}`])
  wire.send(one.repeat(200))
  const answers = (await wire.rest()).split('HTTP/1.1 ').slice(1)
  assert.deepEqual(
    answers.map(answer => answer.slice(0, 3)),
    ['200', '200', '200', '429'],
  )
  assert.match(answers.at(-1) ?? '', /^Connection: close\r$/im)
  assert.equal(services.listed.length, 3)
  const after = await openWire(port)
  after.send(one)
  const alone = await after.until('rate_limited')
  assert.doesNotMatch(alone, /^Connection: close/im)
  after.send(one)
  while ((await after.until('rate_limited')).split('HTTP/1.1 ').length < 3) await new Promise(setImmediate)
  after.socket.destroy()
})
