/** `/status` and what stands beside it, on the product as it runs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Wire } from './http.ts'
import { type Server, startServer } from './server.ts'

/** What it says once it has been told what was counted before: it waits for that no longer than a second. */
async function status(server: Server): Promise<Wire> {
  for (const deadline = performance.now() + 300_000; ; await pause(100)) {
    const headers = { authorization: '', accept: 'application/json' }
    const { body, text } = await server.request('GET', '/status', { headers })
    if (body.history_is_current) return body
    assert.ok(performance.now() < deadline, text)
  }
}

test('/status tells what works, and after a stop and a start what was counted before', async () => {
  await using server = await startServer()
  const first = await status(server)
  assert.deepEqual([first.object, first.status], ['status', 'operational'])
  const names = first.components.map(({ name }: Wire) => name)
  for (const name of ['gateway', 'identity', 'compute', 'billing', 'webhook']) assert.ok(names.includes(name), name)
  for (const { name, status, since, days } of first.components) {
    assert.deepEqual([status, days.length], ['up', 90], name)
    assert.ok(Date.parse(since) <= Date.parse(first.updated_at))
  }
  for (let n = 0; n < 10; n++) assert.equal((await server.request('GET', '/v1/tasks')).status, 200)
  await server.stop()
  await server.restart()
  const later = await status(server)
  const [answered, fast] = later.targets
  // The day may end in between.
  const today = ({ days }: Wire) => days.slice(-2).reduce((sum: number, { total }: Wire) => sum + total, 0)
  assert.deepEqual([today(answered), today(fast), answered.share], [10, 10, 1])
})

test('/status counts each request once, and a 5xx spends the error budget', async () => {
  await using server = await startServer()
  const began = Date.now()
  const sent = { requests: 0, failed: 0 }
  const send = async (...request: Parameters<Server['request']>) => {
    const { status } = await server.request(...request)
    sent.requests++
    if (status >= 500) sent.failed++
    return status
  }
  // No engine of instances is configured: 501.
  const broken = () => send('POST', '/v1/instances', { json: { gpu: 'cpu', image: 'acme/server' } })
  for (let n = 0; n < 20; n++) await send('GET', '/v1/tasks')
  await send('GET', '/v1/tasks/task_unknown')
  assert.equal(await broken(), 501)
  const first = await counted(server, sent)
  for (const time of [first.since, first.until]) assert.ok(Math.abs(Date.parse(time) - began) < A_DAY_MS, time)
  assert.ok(first.since <= first.until)

  for (let n = 0; n < 3; n++) assert.equal(await broken(), 501)
  const later = await counted(server, sent)
  assert.equal(later.since, first.since)
  assert.ok(later.spent > first.spent && later.missed === first.missed + 3, JSON.stringify([first, later]))
})

/** The error budget of the first target, once that is counted which was sent: reports come every ten seconds. */
async function counted(server: Server, sent: { readonly requests: number; readonly failed: number }): Promise<Wire> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const [answered, fast] = (await status(server)).targets
    const { error_budget: budget } = answered
    if (budget.requests >= sent.requests) {
      assert.deepEqual([budget.requests, budget.missed, budget.days], [sent.requests, sent.failed, 30])
      assert.equal(fast.error_budget.requests, sent.requests)
      const allowed = sent.requests / 1_000
      assert.ok(Math.abs(budget.allowed - allowed) < 1e-6 && Math.abs(budget.spent - sent.failed / allowed) < 1e-3)
      return budget
    }
    assert.ok(performance.now() < deadline, JSON.stringify(budget))
    await pause(200)
  }
}

const A_DAY_MS = 86_400_000
