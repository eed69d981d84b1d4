/** Request rates of a plan, through REST. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer({ plans: { compute: 'starter', developer: 'free' } })
})
after(() => server.leave())

test('the plan passes, of many at once too; the rest is told when to come back', async () => {
  const answers = await Promise.all(Array.from({ length: 150 }, () => server.request('GET', '/v1/tasks?limit=1')))
  const passed = answers.filter(({ status }) => status === 200)
  // Several gateways may pass 5 % more.
  assert.ok(passed.length >= 100 && passed.length <= 105, `${passed.length} passed`)
  for (const answer of answers) {
    assert.equal(answer.headers['ratelimit-policy'], '"compute";q=100;w=60')
    assert.match(String(answer.headers.ratelimit), /^"compute";r=\d+;t=\d+$/)
    if (answer.status === 200) continue
    assertProblem(answer, 429, 'rate_limited')
    const seconds = Number(answer.headers['retry-after'])
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${seconds}`)
  }
})

test('each family and each mode has a window of its own', async () => {
  const keys = await server.request('GET', '/v1/api_keys?limit=1')
  assert.equal(keys.status, 200)
  assert.equal(keys.headers['ratelimit-policy'], '"developer";q=100;w=60')
  const headers = { authorization: `Bearer ${server.testKey}` }
  assert.equal((await server.request('GET', '/v1/tasks?limit=1', { headers })).status, 200)
})
