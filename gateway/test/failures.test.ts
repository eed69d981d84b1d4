import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import { fail, headerOf, type ProblemCode, problems } from '@millhand/api'
import { problemIn } from './problem.ts'
import { start, validTask } from './start.ts'

const list = '/v1/tasks'

test('every code that a service fails with reaches the caller as it is', async t => {
  const { call, services } = await start(t)
  for (const code of Object.keys(problems) as ProblemCode[]) {
    services.failure = fail(code, 'Said by a service.', { param: 'p', retryAfterS: 7 })
    const response = await call(list)
    const problem = await problemIn(response, code)
    if (code !== 'internal') assert.equal(problem.detail, 'Said by a service.')
    assert.equal(response.headers.get('retry-after'), '7', code)
    assert.equal(response.headers.has('www-authenticate'), headerOf(code) === 'WWW-Authenticate', code)
  }
})

test('429, 503 and 504 always say when to come again', async t => {
  const { call, services } = await start(t)
  for (const code of ['rate_limited', 'queue_full', 'unavailable', 'deadline_exceeded'] as const) {
    services.failure = fail(code, 'x')
    assert.equal((await call(list)).headers.get('retry-after'), '1', code)
  }
})

test('409, 429 and 5xx say whether the same request may succeed later, and nothing else does', async t => {
  const { call, services } = await start(t)
  const said: Record<string, string | null> = {}
  for (const code of Object.keys(problems) as ProblemCode[]) {
    services.failure = fail(code, 'x')
    said[code] = (await call(list)).headers.get('x-should-retry')
  }
  const wanted = Object.entries(problems).filter(([, { status }]) => status === 409 || status === 429 || status >= 500)
  const never = new Set(['conflict', 'invalid_state', 'engine_unavailable'])
  assert.deepEqual(
    Object.entries(said).filter(([, retry]) => retry !== null),
    wanted.map(([code]) => [code, never.has(code) ? 'false' : 'true']),
  )
})

test('after an internal error only what is done once however often it is sent should be sent again', async t => {
  const { call, post, services } = await start(t)
  services.failure = new Error('x')
  const retried = async (sent: Promise<Response>) => (await sent).headers.get('x-should-retry')
  assert.equal(await retried(call('/v1/tasks/a', { method: 'DELETE' })), 'true')
  assert.equal(await retried(post(validTask)), 'false')
  assert.equal(await retried(post(validTask, { 'idempotency-key': 'one' })), 'true')
})

test('the calls of one request share one budget of time', async t => {
  const { post, services } = await start(t)
  let passed = 0
  const { now } = performance
  t.mock.method(performance, 'now', () => now.call(performance) + passed)
  // The first call, which looks the key up, takes 7 of its 10 seconds.
  services.idempotency.onReserve = () => {
    passed += 7_000
  }
  assert.equal((await post(validTask, { 'idempotency-key': 'one' })).status, 201)
  const [create] = services.calls
  assert.ok(
    create?.timeoutMs !== undefined && create.timeoutMs > 0 && create.timeoutMs <= 3_000,
    `${create?.timeoutMs}`,
  )
})

test('what a transport fails with becomes 503 or 504', async t => {
  const { call, services } = await start(t)
  services.failure = new ConnectError('connect ECONNREFUSED 10.1.2.3:8081', Code.Unavailable)
  assert.doesNotMatch(JSON.stringify(await problemIn(await call(list), 'unavailable')), /10\.1\.2\.3/)
  services.failure = new ConnectError('the operation timed out', Code.DeadlineExceeded)
  await problemIn(await call(list), 'deadline_exceeded')
})

test('an unexpected error tells the caller nothing and the log everything', async t => {
  const { post, services, lines } = await start(t)
  const cause = new Error('secret at /srv/store.db')
  services.failure = cause
  const response = await post(validTask)
  const problem = await problemIn(response, 'internal')
  assert.doesNotMatch(JSON.stringify(problem), /secret/)
  const line = lines.find(({ level }) => level === 'error')
  assert.equal(line?.event, 'request.failed')
  assert.deepEqual(
    [line?.fields.request_id, line?.fields.method, line?.fields.path, line?.fields.status],
    [problem.request_id, 'POST', '/v1/tasks', 500],
  )
  assert.ok(line?.fields.error instanceof ConnectError)
  assert.equal(line.fields.error.cause, cause)
})

test('an error that the sandbox was asked for rings nobody', async t => {
  const { post, services, lines } = await start(t)
  services.failure = fail('internal', 'x', { metadata: { intended: 'sandbox' } })
  await problemIn(await post(validTask), 'internal')
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['debug'],
  )
})

test('what a caller did wrong is not logged above debug', async t => {
  const { call, lines } = await start(t)
  await call('/v1/tasks/x')
  assert.deepEqual(
    lines.map(({ level, event }) => [level, event]),
    [['debug', 'request.answered']],
  )
})

test('who asks for work that nothing here is set up to do is refused, and rings nobody', async t => {
  const { post, services, lines } = await start(t)
  services.failure = fail('engine_unavailable', 'MILLHAND_LLM_URL sets the server of one.', { param: 'engine' })
  await problemIn(await post(validTask), 'engine_unavailable')
  assert.deepEqual(
    lines.map(({ level, event }) => [level, event]),
    [['debug', 'request.answered']],
  )
})
