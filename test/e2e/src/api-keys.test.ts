/** API keys through REST, from their making to their end. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Answer, Wire } from './http.ts'
import { assertProblem } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const by = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

async function make(json: object, key = server.key): Promise<Wire> {
  const answer = await server.request('POST', '/v1/api_keys', { json: { name: 'a test', ...json }, ...by(key) })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

/** Asks with the key until the answer is one that is waited for. */
async function until(key: string, code: string): Promise<Answer> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const answer = await server.request('GET', '/v1/tasks?limit=1', by(key))
    if (answer.status === 401 && answer.body.code === code) return answer
    assert.ok(performance.now() < deadline, `${code} does not come: ${answer.text}`)
  }
}

test('a key is made, shown once, used, listed and looked at', async () => {
  const json = { name: 'reader', scopes: ['tasks:read'] }
  const answer = await server.request('POST', '/v1/api_keys', { json })
  assert.equal(answer.status, 201)
  const made = answer.body
  assert.equal(answer.headers.location, `/v1/api_keys/${made.id}`)
  assert.match(made.key, /^mh_live_[0-9A-Za-z]{36}$/)
  assert.ok(made.key.startsWith(made.prefix))
  const { key, ...rest } = made
  assert.deepEqual(
    { object: rest.object, name: rest.name, mode: rest.mode, scopes: rest.scopes, version: rest.resource_version },
    { object: 'api_key', name: 'reader', mode: 'live', scopes: ['tasks:read'], version: 1 },
  )
  assert.equal((await server.request('GET', '/v1/tasks', by(key))).status, 200)
  assertProblem(
    await server.request('DELETE', '/v1/tasks/task_01kaje5z1cf6tvnyxkkhbm3v8h', by(key)),
    403,
    'insufficient_scope',
  )
  assertProblem(await server.request('GET', '/v1/api_keys', by(key)), 403, 'insufficient_scope')

  const shown = await server.request('GET', `/v1/api_keys/${made.id}`)
  const { last_used_at: _, ...known } = shown.body
  assert.deepEqual(known, rest)
  const listed = await server.request('GET', '/v1/api_keys?limit=100')
  assert.ok(listed.body.data.some((each: Wire) => each.id === made.id))
  for (const { text } of [shown, listed]) assert.ok(!text.includes(key), 'a key is shown once')
  const same = await server.request('GET', '/v1/api_keys?limit=100', by(server.testKey))
  assert.ok(!same.text.includes(made.id), 'the sandbox sees none of what is live')
})

test('keys are listed page by page', async () => {
  const made: string[] = []
  for (let n = 0; n < 3; n++) made.unshift((await make({ scopes: ['files:read'] })).id)
  const first = await server.request('GET', '/v1/api_keys?limit=2')
  const second = await server.request('GET', `/v1/api_keys?limit=2&cursor=${first.body.next_cursor}`)
  const listed = [...first.body.data, ...second.body.data].map((each: Wire) => each.id)
  assert.deepEqual(listed.slice(0, 3), made)
  const turned = await server.request('GET', `/v1/api_keys?order=asc&cursor=${first.body.next_cursor}`)
  assertProblem(turned, 400, 'invalid_cursor')
})

test('a revoked key soon works nowhere, and is revoked for good', async () => {
  const { id, key } = await make({ scopes: ['tasks:read', 'keys:write'] })
  assert.equal((await server.request('GET', '/v1/tasks', by(key))).status, 200)
  const revoked = await server.request('DELETE', `/v1/api_keys/${id}`)
  assert.equal(revoked.status, 200)
  assert.ok(revoked.body.revoked_at)
  const answer = await until(key, 'revoked_credentials')
  assert.match(answer.headers['www-authenticate'] ?? '', /error="invalid_token"/)
  const again = await server.request('DELETE', `/v1/api_keys/${id}`)
  const { last_used_at: _, ...first } = revoked.body
  const { last_used_at: __, ...second } = again.body
  assert.deepEqual(second, first)
  assertProblem(await server.request('POST', `/v1/api_keys/${id}/rotate`, { json: {} }), 409, 'invalid_state')
})

test('a key works until it expires', async () => {
  const expires_at = new Date(Date.now() + 1_500).toISOString()
  const { id, key } = await make({ scopes: ['tasks:read'], expires_at })
  const { status } = await server.request('GET', '/v1/tasks', by(key))
  if (Date.now() < Date.parse(expires_at)) assert.equal(status, 200)
  await until(key, 'expired_credentials')
  assert.ok(Date.now() >= Date.parse(expires_at))
  assertProblem(await server.request('POST', `/v1/api_keys/${id}/rotate`, { json: {} }), 409, 'invalid_state')
})

test('a rotated key works beside the new one for the overlap', async () => {
  const old = await make({ name: 'to rotate', scopes: ['tasks:read'] })
  assert.equal((await server.request('GET', '/v1/tasks', by(old.key))).status, 200)
  const answer = await server.request('POST', `/v1/api_keys/${old.id}/rotate`, { json: { overlap_seconds: 2 } })
  assert.equal(answer.status, 201)
  const made = answer.body
  assert.equal(answer.headers.location, `/v1/api_keys/${made.id}`)
  assert.deepEqual([made.name, made.scopes], ['to rotate', ['tasks:read']])
  const end = Date.parse((await server.request('GET', `/v1/api_keys/${old.id}`)).body.expires_at)
  assert.equal(end, Date.parse(made.created_at) + 2_000)
  for (const { key } of [old, made]) assert.equal((await server.request('GET', '/v1/tasks', by(key))).status, 200)
  await until(old.key, 'expired_credentials')
  assert.equal((await server.request('GET', '/v1/tasks', by(made.key))).status, 200)
})

test('a key gives what it holds and no more', async () => {
  const { key } = await make({ scopes: ['keys:write', 'tasks:read'] })
  const limited = await make({ scopes: ['tasks:read'] }, key)
  assert.deepEqual(limited.scopes, ['tasks:read'])
  for (const scopes of [['tasks:write'], ['*'], ['tasks:read', 'keys:read']]) {
    const refused = await server.request('POST', '/v1/api_keys', { json: { name: 'more', scopes }, ...by(key) })
    assertProblem(refused, 403, 'insufficient_scope')
    assert.equal(
      refused.headers['www-authenticate'],
      `Bearer realm="millhand", error="insufficient_scope", scope="${scopes.at(-1)}"`,
    )
    assert.ok(refused.body.detail.includes(scopes.at(-1)))
  }
  const other = await make({ scopes: ['files:read'] })
  const rotated = await server.request('POST', `/v1/api_keys/${other.id}/rotate`, { json: {}, ...by(key) })
  assertProblem(rotated, 403, 'insufficient_scope')
})

test('a key makes none that outlives it', async () => {
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  const { id, key } = await make({ scopes: ['keys:write'], expires_at })
  assert.equal((await make({ scopes: ['keys:write'] }, key)).expires_at, expires_at)
  const later = { name: 'later', scopes: ['keys:write'], expires_at: new Date(Date.now() + 120_000).toISOString() }
  const refused = await server.request('POST', '/v1/api_keys', { json: later, ...by(key) })
  assertProblem(refused, 400, 'invalid_parameter')
  assert.ok(refused.body.detail.includes(expires_at), refused.text)
  const rotated = await server.request('POST', `/v1/api_keys/${id}/rotate`, { json: {}, ...by(key) })
  assert.equal(rotated.body.expires_at, expires_at)
})

test('a create that is sent again with its idempotency key answers with the same key', async () => {
  const send = () =>
    server.request('POST', '/v1/api_keys', {
      json: { name: 'once', scopes: ['tasks:read'] },
      headers: { 'idempotency-key': 'a key, once' },
    })
  const answers = [await send(), await send()]
  assert.equal(answers[1]?.headers['idempotent-replayed'], 'true')
  assert.equal(answers[1]?.text, answers[0]?.text)
  const listed = await server.request('GET', '/v1/api_keys?limit=100')
  assert.equal(listed.body.data.filter((each: Wire) => each.name === 'once').length, 1)
})

test('a test key makes test keys', async () => {
  const { key, mode } = await make({ scopes: ['tasks:read'] }, server.testKey)
  assert.equal(mode, 'test')
  assert.match(key, /^mh_test_/)
  assert.equal((await server.request('GET', '/v1/tasks', by(key))).status, 200)
})

test('what is wrong with a request is told at once', async () => {
  const refused = await server.request('POST', '/v1/api_keys', {
    json: { name: 'wrong', scopes: ['tasks:reed', 'everything'] },
  })
  assertProblem(refused, 400, 'invalid_parameter')
  assert.deepEqual(
    refused.body.errors.map((each: Wire) => each.param),
    ['scopes[0]', 'scopes[1]'],
  )
  const table: [object, string][] = [
    [{ scopes: ['*'] }, 'name'],
    [{ name: 'wrong' }, 'scopes'],
    [{ name: 'wrong', scopes: ['*'], expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'wrong', scopes: ['*', '*'] }, 'scopes'],
    [{ name: 'x'.repeat(65), scopes: ['*'] }, 'name'],
  ]
  for (const [json, param] of table) {
    const answer = await server.request('POST', '/v1/api_keys', { json })
    assert.equal(answer.status, 400, answer.text)
    assert.equal(answer.body.param, param, answer.text)
  }
  const unknown = 'key_01kaje5z1cf6tvnyxkkhbm3v8h'
  for (const [method, path] of [
    ['GET', unknown],
    ['DELETE', unknown],
    ['POST', `${unknown}/rotate`],
  ] as const) {
    const json = method === 'POST' ? { json: {} } : {}
    assertProblem(await server.request(method, `/v1/api_keys/${path}`, json), 404, 'not_found')
  }
  const { id } = await make({ scopes: ['tasks:read'] })
  const long = await server.request('POST', `/v1/api_keys/${id}/rotate`, { json: { overlap_seconds: 604_801 } })
  assertProblem(long, 400, 'invalid_parameter')
})
