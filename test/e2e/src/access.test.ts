import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { mistyped, newKey } from './keys.ts'
import { assertProblem, create, digit, ended } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

test('a call without a key is 401 and says how to authenticate', async () => {
  const answer = await server.request('GET', '/v1/tasks', { headers: { authorization: '' } })
  assertProblem(answer, 401, 'missing_credentials')
  assert.equal(answer.headers['www-authenticate'], 'Bearer realm="millhand"')
})

test('a key that is mistyped, unknown or no key is 401', async () => {
  const none = ['nonsense', `${server.key}x`, 'mh_live_', server.key.toUpperCase(), 'x'.repeat(5_000)]
  for (const key of [mistyped(server.key), newKey('live'), newKey('test'), ...none]) {
    const answer = await server.request('GET', '/v1/tasks', { headers: { authorization: `Bearer ${key}` } })
    assertProblem(answer, 401, 'invalid_credentials')
    assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer realm="millhand", error="invalid_token"/)
    assert.ok(!answer.text.includes(key), 'a key is not told back')
  }
  const basic = await server.request('GET', '/v1/tasks', { headers: { authorization: 'Basic bWFyeTpwYXNz' } })
  assertProblem(basic, 401, 'invalid_credentials')
})

test('the scheme is read in any case (RFC 9110, section 11.1)', async () => {
  const answer = await server.request('GET', '/v1/tasks', { headers: { authorization: `bearer ${server.key}` } })
  assert.equal(answer.status, 200)
})

test('a refused create makes nothing', async () => {
  const authorization = `Bearer ${newKey('live')}`
  assertProblem(
    await server.request('POST', '/v1/tasks', {
      json: digit(1, { metadata: { refused: 'yes' } }),
      headers: { authorization },
    }),
    401,
    'invalid_credentials',
  )
  const list = await server.request('GET', '/v1/tasks?metadata[refused]=yes')
  assert.deepEqual(list.body.data, [])
})

test('a test key sees nothing of what is live, and does not learn that it exists', async () => {
  const task = await create(server, digit(3))
  await ended(server, task.id)
  const headers = { authorization: `Bearer ${server.testKey}` }
  const unknown = 'task_01kaje5z1cf6tvnyxkkhbm3v8h'
  for (const [method, suffix] of [
    ['GET', ''],
    ['DELETE', ''],
    ['DELETE', '/data'],
  ] as const) {
    const hidden = await server.request(method, `/v1/tasks/${task.id}${suffix}`, { headers })
    const absent = await server.request(method, `/v1/tasks/${unknown}${suffix}`, { headers })
    assertProblem(hidden, 404, 'not_found')
    assert.equal(hidden.body.detail.replace(task.id, ''), absent.body.detail.replace(unknown, ''))
  }
  const list = await server.request('GET', '/v1/tasks', { headers })
  assert.deepEqual(list.body, { object: 'list', data: [], has_more: false })
  assert.equal((await server.request('GET', `/v1/tasks/${task.id}`)).body.output.digit, 3)
})

test('a cursor of the live list is worth nothing to a test key', async () => {
  await Promise.all([create(server, digit(1)), create(server, digit(2))])
  const page = await server.request('GET', '/v1/tasks?limit=1')
  const path = `/v1/tasks?limit=1&cursor=${encodeURIComponent(page.body.next_cursor)}`
  const answer = await server.request('GET', path, { headers: { authorization: `Bearer ${server.testKey}` } })
  assertProblem(answer, 400, 'invalid_cursor', 'cursor')
})

test('what needs no key is answered without one', async () => {
  for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs'])
    assert.equal((await server.request('GET', path, { headers: { authorization: '' } })).status, 200, path)
})
