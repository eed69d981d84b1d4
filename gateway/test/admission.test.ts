import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createApiKey } from '@millhand/api'
import { now } from './fake-services.ts'
import { problemIn } from './problem.ts'
import { start, validTask } from './start.ts'
import { openWire, requestText } from './wire.ts'

const path = '/v1/tasks'

test('without credentials the challenge names no error', async t => {
  const { url } = await start(t)
  const response = await fetch(url + path)
  await problemIn(response, 'missing_credentials')
  assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="millhand"')
})

test('credentials that can be none are refused without asking identity', async t => {
  const { url, services, key } = await start(t)
  const typo = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  for (const authorization of [
    'Basic dXNlcjpwYXNz',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer abc',
    `Bearer ${typo}`,
  ]) {
    const response = await fetch(url + path, { headers: { authorization } })
    const problem = await problemIn(response, 'invalid_credentials')
    assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="millhand", error="invalid_token"')
    assert.ok(!JSON.stringify(problem).includes(typo))
  }
  assert.equal(services.keys.authentications, 0)
})

test('an unknown, an expired and a revoked key are told apart', async t => {
  const { call, services } = await start(t)
  for (const [code, key] of [
    ['invalid_credentials', createApiKey('live')],
    ['expired_credentials', services.key(['*'], { expiresAt: timestampFromMs(now) })],
    ['revoked_credentials', services.key(['*'], { revokedAt: timestampFromMs(now) })],
  ] as const) {
    const response = await call(path, { headers: { authorization: `Bearer ${key}` } })
    await problemIn(response, code)
    assert.match(response.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
  }
})

test('the scheme is case-insensitive', async t => {
  const { call, key } = await start(t)
  assert.equal((await call(path, { headers: { authorization: `bearer ${key}` } })).status, 200)
})

test('many requests with one new key ask once, and an unknown key is remembered too', async t => {
  const { call, port, services } = await start(t)
  const authorization = `Bearer ${createApiKey('live')}`
  const gate = Promise.withResolvers<void>()
  services.keys.gate = gate.promise
  const wire = await openWire(port)
  const request = requestText(`GET ${path}`, [`Authorization: ${authorization}`])
  const last = requestText(`GET ${path}`, [`Authorization: ${authorization}`, 'Connection: close'])
  wire.send(request.repeat(7) + last)
  while (services.keys.authentications === 0) await new Promise(resolve => setImmediate(resolve))
  gate.resolve()
  assert.equal((await wire.rest()).split('HTTP/1.1 401').length - 1, 8)
  await call(path, { headers: { authorization } })
  assert.equal(services.keys.authentications, 1)
})

test('unknown keys do not push known ones out of memory', async t => {
  const { call, services } = await start(t)
  await call(path)
  const before = services.keys.authentications
  for (let n = 0; n < 1100; n += 50) {
    const guesses = Array.from({ length: 50 }, () => ({ authorization: `Bearer ${createApiKey('live')}` }))
    await Promise.all(guesses.map(headers => call(path, { headers }).then(response => response.text())))
  }
  assert.equal(services.keys.authentications, before + 1100)
  await call(path)
  assert.equal(services.keys.authentications, before + 1100)
})

test('a scope that is lacking is named, as RFC 6750 has it; write does not imply read', async t => {
  const { call, services } = await start(t)
  const response = await call(path, { headers: { authorization: `Bearer ${services.key(['tasks:write'])}` } })
  const problem = await problemIn(response, 'insufficient_scope')
  assert.match(problem.detail, /tasks:read/)
  assert.equal(
    response.headers.get('www-authenticate'),
    'Bearer realm="millhand", error="insufficient_scope", scope="tasks:read"',
  )
})

test('checks come in the order route, credentials, scope, media type, body', async t => {
  const { url, call, services } = await start(t)
  const reader = { authorization: `Bearer ${services.key(['tasks:read'])}` }
  await problemIn(await fetch(`${url}/v1/nothing`), 'unknown_route')
  await problemIn(await fetch(url + path, { method: 'POST', body: 'x' }), 'missing_credentials')
  await problemIn(await call(path, { method: 'POST', body: 'x', headers: reader }), 'insufficient_scope')
  await problemIn(await call(path, { method: 'POST', body: 'x' }), 'unsupported_media_type')
})

test('services get the principal, the request id and a deadline', async t => {
  const { post, services } = await start(t)
  const response = await post(validTask)
  const [called] = services.calls
  assert.equal(called?.principal, 'acct_1/live')
  assert.equal(called?.requestId, response.headers.get('x-request-id'))
  assert.ok(called?.timeoutMs !== undefined && called.timeoutMs > 5_000 && called.timeoutMs <= 10_000)
})

test('a valid request id is kept, any other is replaced', async t => {
  const { call } = await start(t)
  const valid = 'req_01kaje5z1cf6tvnyxkkhbm3v8h'
  const idFor = async (id: string) =>
    (await call(path, { headers: { 'x-request-id': id } })).headers.get('x-request-id')
  assert.equal(await idFor(valid), valid)
  for (const id of ['', 'abc', 'task_01kaje5z1cf6tvnyxkkhbm3v8h', `${valid}x`, valid.toUpperCase()]) {
    assert.match((await idFor(id)) ?? '', /^req_[0-7][0-9a-z]{25}$/)
    assert.notEqual(await idFor(id), id)
  }
})

test('no log line holds a key', async t => {
  const { call, services, lines, key } = await start(t)
  services.failure = new Error('boom')
  await call(`${path}?cursor=${key}`)
  assert.ok(lines.length > 0)
  assert.ok(!JSON.stringify(lines).includes(key))
})
