import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Server, startServer } from './server.ts'
import { assertProblem, clear, create, digit, ended, FOREVER_MS, ownModels, reaches, spin, TYPE_ID } from './tasks.ts'

let server: Server
before(async () => {
  server = await startServer({ env: { MILLHAND_MODELS_DIR: ownModels } })
})
after(() => server.stop())

test('every answer has a request id; a good one of the caller is kept, another is not', async () => {
  const own = await server.request('GET', '/v1/tasks')
  assert.match(String(own.headers['x-request-id']), TYPE_ID('req'))
  const mine = 'req_01kaje5z1cf6tvnyxkkhbm3v8h'
  const kept = await server.request('GET', '/v1/tasks?limit=0', { headers: { 'x-request-id': mine } })
  assert.equal(kept.headers['x-request-id'], mine)
  assert.equal(kept.body.request_id, mine)
  for (const id of ['nonsense', 'req_', 'task_01kaje5z1cf6tvnyxkkhbm3v8h', 'x'.repeat(3_000)]) {
    const answer = await server.request('GET', '/v1/tasks', { headers: { 'x-request-id': id } })
    assert.match(String(answer.headers['x-request-id']), TYPE_ID('req'))
    assert.notEqual(answer.headers['x-request-id'], id)
  }
})

test('an entity tag spares the second read, and changes with the task', async () => {
  const { id } = await create(server, spin(FOREVER_MS))
  await reaches(server, id, 'running')
  const path = `/v1/tasks/${id}`
  const first = await server.request('GET', path)
  const tag = String(first.headers.etag)
  assert.match(tag, /^(W\/)?"[^"]+"$/)
  for (const held of [tag, `"other", ${tag}`, '*']) {
    const again = await server.request('GET', path, { headers: { 'if-none-match': held } })
    assert.equal(again.status, 304, held)
    assert.equal(again.text, '')
    assert.equal(again.headers.etag, tag)
  }
  assert.equal((await server.request('GET', path, { headers: { 'if-none-match': '"other"' } })).status, 200)
  await clear(server, id)
  const later = await server.request('GET', path, { headers: { 'if-none-match': tag } })
  assert.equal(later.status, 200)
  assert.notEqual(later.headers.etag, tag)
})

test('the place in the queue is no part of the entity tag', async () => {
  const blocker = await create(server, spin(FOREVER_MS))
  await reaches(server, blocker.id, 'running')
  const waiting = await create(server, spin(1))
  const first = await server.request('GET', `/v1/tasks/${waiting.id}`)
  assert.equal(first.body.status, 'queued')
  const before = await Promise.all([
    create(server, spin(1, { priority: 'high' })),
    create(server, spin(1, { priority: 'high' })),
  ])
  const second = await server.request('GET', `/v1/tasks/${waiting.id}`)
  assert.equal(second.headers.etag, first.headers.etag)
  await clear(server, blocker.id, waiting.id, ...before.map(task => task.id))
})

test('HEAD answers as GET does, without a body', async () => {
  const { id } = await create(server, digit(1))
  await ended(server, id)
  for (const path of [`/v1/tasks/${id}`, '/v1/models/digits', '/v1/models', '/healthz', '/openapi.json']) {
    const get = await server.request('GET', path)
    const head = await server.request('HEAD', path)
    assert.equal(head.status, 200, path)
    assert.equal(head.text, '')
    for (const name of ['content-type', 'etag', 'content-length'])
      assert.equal(head.headers[name], get.headers[name], `${path} ${name}`)
  }
  const absent = await server.request('HEAD', '/v1/tasks/task_01kaje5z1cf6tvnyxkkhbm3v8h')
  assert.equal(absent.status, 404)
  assert.equal(absent.text, '')
})

test('OPTIONS tells the methods of a path', async () => {
  const table = [
    ['/v1/tasks', ['GET', 'POST']],
    ['/v1/tasks/task_01kaje5z1cf6tvnyxkkhbm3v8h', ['GET', 'DELETE']],
    ['/v1/models', ['GET', 'POST']],
  ] as const
  for (const [path, methods] of table) {
    const answer = await server.request('OPTIONS', path, { headers: { authorization: '' } })
    assert.equal(answer.status, 204, path)
    const allowed = methodsOf(answer.headers.allow)
    for (const method of [...methods, 'OPTIONS', 'HEAD']) assert.ok(allowed.includes(method), `${path} ${method}`)
  }
})

test('a page of another origin may call, as browsers ask for it', async () => {
  const preflight = await server.request('OPTIONS', '/v1/tasks', {
    headers: {
      authorization: '',
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,prefer',
    },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers['access-control-allow-origin'], '*')
  assert.ok(methodsOf(preflight.headers['access-control-allow-methods']).includes('POST'))
  const headers = String(preflight.headers['access-control-allow-headers']).toLowerCase()
  for (const name of ['authorization', 'content-type', 'prefer', 'if-none-match', 'idempotency-key'])
    assert.ok(headers.includes(name))
  const exposed = ['x-request-id', 'location', 'etag', 'traceparent', 'tracestate']
  const good = await server.request('GET', '/v1/tasks', { headers: { origin: 'https://app.example' } })
  const bad = await server.request('GET', '/v1/tasks', {
    headers: { origin: 'https://app.example', authorization: '' },
  })
  assert.equal(bad.status, 401)
  for (const answer of [good, bad]) {
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    const readable = String(answer.headers['access-control-expose-headers']).toLowerCase()
    for (const name of exposed) assert.ok(readable.includes(name), name)
  }
})

test('a method that a path does not have is 405 with those that it has', async () => {
  for (const [method, path, allowed] of [
    ['PATCH', '/v1/tasks', 'POST'],
    ['PUT', '/v1/tasks/task_01kaje5z1cf6tvnyxkkhbm3v8h', 'DELETE'],
    ['PUT', '/v1/models', 'GET'],
    ['DELETE', '/v1/tasks', 'GET'],
    ['POST', '/healthz', 'GET'],
    ['TRACE', '/v1/tasks', 'GET'],
  ] as const) {
    const answer = await server.request(method, path)
    assertProblem(answer, 405, 'method_not_allowed')
    assert.ok(methodsOf(answer.headers.allow).includes(allowed), `${method} ${path}: ${answer.headers.allow}`)
  }
})

test('a path that is nobody’s is 404', async () => {
  for (const path of ['/v1', '/v1/', '/v1/nothing', '/v2/tasks', '/v1/tasks/a/b/c', '/v1/TASKS', '/v1/tasks/a/data/x'])
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await server.request(method, path)
      assertProblem(answer, 404, 'unknown_route')
    }
})

test('odd paths are answered below 500', async () => {
  for (const path of [
    '/v1/tasks/',
    '//v1/tasks',
    '/v1/tasks/%',
    '/v1/tasks/%ff',
    '/v1/tasks/%2e%2e%2fx',
    '/v1//tasks',
    '/%00',
    `/v1/tasks/${'x'.repeat(4_000)}`,
  ]) {
    const answer = await server.request('GET', path)
    assert.ok(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status}`)
    assert.match(answer.headers['content-type'] ?? '', /problem\+json/)
  }
})

test('the description of the interface is served, and its viewer needs no outside address', async () => {
  const openapi = (await server.request('GET', '/openapi.json')).body
  assert.match(openapi.openapi, /^3\.1\./)
  for (const [path, method] of [
    ['/v1/tasks', 'post'],
    ['/v1/tasks', 'get'],
    ['/v1/tasks/{id}', 'get'],
    ['/v1/tasks/{id}', 'delete'],
    ['/v1/tasks/{id}/data', 'delete'],
    ['/v1/models', 'get'],
    ['/v1/models/{id}', 'get'],
  ] as const)
    assert.ok(openapi.paths[path][method], `${method} ${path}`)
  const docs = await server.request('GET', '/docs')
  assert.match(docs.headers['content-type'] ?? '', /^text\/html/)
  const links = [...docs.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(link => String(link[1]))
  assert.ok(links.length > 0)
  for (const link of links) {
    const address = new URL(link, `${server.url}/docs`)
    assert.equal(address.origin, server.url, link)
    assert.equal((await server.request('GET', address.pathname)).status, 200, link)
  }
})

test('the server is healthy and ready', async () => {
  for (const path of ['/healthz', '/readyz']) assert.equal((await server.request('GET', path)).status, 200)
})

function methodsOf(header: string | undefined): string[] {
  return (header ?? '').split(',').map(method => method.trim())
}
