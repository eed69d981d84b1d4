import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { problemIn } from './problem.ts'
import { start, validTask } from './start.ts'
import { openWire, requestText } from './wire.ts'

test('a path that is none is unknown_route, whatever the method and without a key', async t => {
  const { url } = await start(t)
  for (const path of ['/v1', '/v1/task', '/v1/tasks/', '/v1/tasks/a/b', '/V1/tasks', '//v1/tasks', '/v1/tasks/%ff']) {
    await problemIn(await fetch(url + path), 'unknown_route')
  }
  await problemIn(await fetch(`${url}/v2/tasks`, { method: 'OPTIONS' }), 'unknown_route')
})

test('a path with a slip is told the path that was meant', async t => {
  const { url } = await start(t)
  const detailOf = async (path: string) => ((await (await fetch(url + path)).json()) as { detail: string }).detail
  assert.equal(await detailOf('/v1/taks?limit=1'), 'There is nothing at this path. Did you mean `/v1/tasks`?')
  assert.equal(await detailOf('/v1/zebras'), 'There is nothing at this path. GET /openapi.json lists what there is.')
})

test('another method is method_not_allowed, and Allow lists those there are', async t => {
  const { url } = await start(t)
  for (const method of ['PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
    const response = await fetch(`${url}/v1/tasks`, { method })
    await problemIn(response, 'method_not_allowed')
    assert.deepEqual(response.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'OPTIONS', 'POST'])
  }
})

test('TRACE and CONNECT are refused', async t => {
  const { port } = await start(t)
  for (const line of ['TRACE /v1/tasks', 'CONNECT millhand.test:443']) {
    const wire = await openWire(port)
    wire.send(requestText(line, ['Connection: close']))
    const answer = await wire.rest()
    assert.match(answer, /^HTTP\/1\.1 405 Method Not Allowed\r\n/)
    assert.match(answer, /\r\nAllow: /)
    assert.match(answer, /\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\n/)
    assert.match(answer, /"code":"method_not_allowed"/)
  }
})

test('HEAD answers as GET does, without the body', async t => {
  const { call, post } = await start(t)
  await post(validTask)
  for (const path of ['/v1/tasks', '/v1/tasks/task_00000000000000000000000001', '/v1/tasks/x', '/healthz', '/docs']) {
    const got = await call(path)
    const head = await call(path, { method: 'HEAD' })
    assert.equal(head.status, got.status, path)
    assert.equal(head.headers.get('content-length'), String((await got.arrayBuffer()).byteLength), path)
    assert.equal(head.headers.get('etag'), got.headers.get('etag'), path)
    assert.equal(head.headers.get('content-type'), got.headers.get('content-type'), path)
    assert.equal(await head.text(), '')
  }
})

test('a preflight is answered as browsers expect, without a key', async t => {
  const { url } = await start(t)
  const headers = {
    origin: 'https://page.test',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  }
  const response = await fetch(`${url}/v1/tasks`, { method: 'OPTIONS', headers })
  assert.equal(response.status, 204)
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  assert.match(response.headers.get('access-control-allow-methods') ?? '', /\bPOST\b/)
  const allowed = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ')
  const common = ['authorization', 'content-type', 'idempotency-key', 'if-none-match', 'prefer', 'x-request-id']
  for (const name of [...common, 'traceparent', 'tracestate']) assert.ok(allowed.includes(name), name)
  assert.equal(response.headers.get('access-control-max-age'), '7200')
  assert.equal(response.headers.get('access-control-allow-credentials'), null)
})

test('a page of another origin may read answers, errors too, and their headers', async t => {
  const { url, call } = await start(t)
  const headers = { origin: 'https://page.test' }
  for (const response of [await call('/v1/tasks', { headers }), await fetch(`${url}/v1/tasks`, { headers })]) {
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    const readable = (response.headers.get('access-control-expose-headers') ?? '').split(', ')
    for (const name of ['X-Request-Id', 'Traceparent', 'Tracestate']) assert.ok(readable.includes(name), name)
  }
})

test('plain OPTIONS says the methods of a path, and of the server', async t => {
  const { url, port } = await start(t)
  const response = await fetch(`${url}/v1/tasks/x`, { method: 'OPTIONS' })
  assert.equal(response.status, 204)
  assert.deepEqual(response.headers.get('allow')?.split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'OPTIONS'])
  const wire = await openWire(port)
  wire.send(requestText('OPTIONS *', ['Connection: close']))
  assert.match(await wire.rest(), /^HTTP\/1\.1 204 [\s\S]*\r\nAllow: [A-Z, ]*DELETE/)
})

test('a query becomes the request, decoded', async t => {
  const { call, services } = await start(t)
  const query = 'limit=7&status=running&model=a%20b+c%2Bd&metadata[k%5D]=v&metadata[u]=%E2%82%AC&include=input,output'
  assert.equal((await call(`/v1/tasks?${query}`)).status, 200)
  const [listed] = services.listed
  assert.equal(listed?.limit, 7)
  assert.equal(listed?.status, TaskStatus.RUNNING)
  assert.equal(listed?.model, 'a b c+d')
  assert.deepEqual({ ...listed?.metadata }, { 'k]': 'v', u: '€' })
  assert.deepEqual(listed?.include, [1, 2])
})

test('everything that is wrong with a query is named at once', async t => {
  const { call } = await start(t)
  const problem = await problemIn(await call('/v1/tasks?limt=1&status=gone&limit=x'), 'unknown_parameter')
  assert.equal(problem.param, 'limt')
  assert.deepEqual(problem.errors?.map(({ param }) => param).sort(), ['limit', 'limt', 'status'])
  await problemIn(await call('/v1/tasks/x?a=1'), 'unknown_parameter')
  await problemIn(await call('/v1/tasks?__proto__=1'), 'unknown_parameter')
  await problemIn(await call('/v1/tasks?limit=1&limit=2'), 'invalid_parameter')
})

test('a POST takes no query, so a typo there is told', async t => {
  const { call } = await start(t)
  const headers = { 'content-type': 'application/json' }
  const response = await call('/v1/tasks?model=x', { method: 'POST', headers, body: JSON.stringify(validTask) })
  assert.equal((await problemIn(response, 'unknown_parameter')).param, 'model')
})

test('a query that is not percent-encoded UTF-8 is refused', async t => {
  const { call, port, key } = await start(t)
  for (const query of ['model=%', 'model=%zz', 'model=%ff', '%c3%28=1', 'model=%00']) {
    await problemIn(await call(`/v1/tasks?${query}`), 'invalid_parameter')
  }
  const wire = await openWire(port)
  wire.send(requestText('GET /v1/tasks?model=%', [`Authorization: Bearer ${key}`, 'Connection: close']))
  assert.match(await wire.rest(), /invalid_parameter/)
})

test('an id in a path is decoded once', async t => {
  const { call, services } = await start(t)
  services.put({ id: 'a/b c%' })
  const response = await call('/v1/tasks/a%2Fb%20c%25')
  assert.equal(((await response.json()) as { id: string }).id, 'a/b c%')
  for (const id of ['%00', '%2525', 'x'.repeat(400)]) await problemIn(await call(`/v1/tasks/${id}`), 'not_found')
})

test('an absolute request target is served', async t => {
  const { port, key } = await start(t)
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Connection: close']
  wire.send(requestText('GET http://millhand.test/v1/tasks?limit=1', headers))
  assert.match(await wire.rest(), /^HTTP\/1\.1 200 /)
})

test('what identity answers to gateways has no route', async t => {
  const { url } = await start(t)
  const path = '/millhand.identity.v1.IdentityService/AuthenticateKey'
  await problemIn(await fetch(url + path, { method: 'POST' }), 'unknown_route')
})
