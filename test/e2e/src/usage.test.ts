/** `GET /v1/usage`: what it counts is what the tasks themselves say. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Wire } from './http.ts'
import { clear, create, digit, ended, FOREVER_MS, run, spin } from './tasks.ts'
import { counted, sumOf } from './usage-sums.ts'
import { type Visited, visitServer } from './visited-server.ts'

describe('usage', () => {
  let server: Visited
  let tasks: Wire[]
  const ask = (query: string, key = server.key) =>
    server.request('GET', `/v1/usage${query}`, { headers: { authorization: `Bearer ${key}` } })

  before(async () => {
    server = await visitServer()
    await Promise.all([0, 1, 2].map(which => run(server, digit(which))))
    // One that runs too long, one cancelled while it runs, and behind it one that never begins and one that expires.
    await run(server, spin(FOREVER_MS, { run_timeout_s: 1, max_attempts: 1 }))
    const running = await create(server, spin(FOREVER_MS))
    while ((await server.request('GET', `/v1/tasks/${running.id}`)).body.status !== 'running') await pause(20)
    const behind = await create(server, digit(3))
    const expiring = await create(server, digit(4, { queue_timeout_s: 1 }))
    await clear(server, behind.id)
    await ended(server, expiring.id)
    await clear(server, running.id)
    tasks = (await server.request('GET', '/v1/tasks?limit=100')).body.data
    assert.equal(tasks.length, 7)
  })
  after(() => server.leave())

  it('equals the sum over the listed tasks, in all and by what it is told by', async () => {
    const whole = await counted(() => ask(''), tasks.length)
    const now = new Date()
    assert.equal(whole.object, 'usage')
    assert.equal(whole.start, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString())
    assert.deepEqual(whole.data, [])
    assert.deepEqual(whole.total, sumOf(tasks))
    assert.deepEqual(whole.total.tasks, { succeeded: 3, failed: 1, cancelled: 2, expired: 1 })
    assert.ok(whole.total.compute_seconds > 1, 'a run that was stopped has run')

    const keys: Record<string, (task: Wire) => string> = {
      day: task => task.finished_at.slice(0, 10),
      model: task => task.model,
      type: task => task.type,
      gpu_type: task => task.usage?.gpu_type ?? 'none',
    }
    for (const [group, keyOf] of Object.entries(keys)) {
      const { body } = await ask(`?group_by=${group}`)
      const groups = [...Map.groupBy(tasks, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1))
      assert.equal(body.group_by, group)
      assert.deepEqual(
        body.data,
        groups.map(([key, some]) => ({ key, ...sumOf(some) })),
      )
      assert.deepEqual(body.total, whole.total)
    }
  })

  it('is of whole hours', async () => {
    const { body } = await ask('?start=2026-02-03T04:05:06Z&end=2026-02-03T05:00:01Z')
    assert.deepEqual([body.start, body.end], ['2026-02-03T04:00:00.000Z', '2026-02-03T06:00:00.000Z'])
    assert.deepEqual(body.total, sumOf([]))
    const same = (await ask('?start=2026-02-03T05:00:00Z&end=2026-02-03T05:00:00Z')).body
    assert.deepEqual([same.start, same.end], ['2026-02-03T05:00:00.000Z', '2026-02-03T05:00:00.000Z'])
  })

  it('refuses a span that ends before it begins, or is too long, and what it can’t be told by', async () => {
    for (const [query, param] of [
      ['?start=2026-02-03T05:00:00Z&end=2026-02-03T04:59:59Z', 'end'],
      ['?end=2020-01-01T00:00:00Z', 'end'],
      ['?start=2999-01-01T00:00:00Z', 'start'],
      ['?start=2025-01-01T00:00:00Z&end=2026-01-02T00:00:01Z', 'start'],
      ['?end=2999-01-01T00:00:00Z', 'end'],
      ['?start=yesterday', 'start'],
      ['?group_by=hour', 'group_by'],
    ] as const) {
      const { status, body } = await ask(query)
      assert.deepEqual([status, body.code, body.param], [400, 'invalid_parameter', param], query)
    }
    assert.equal((await ask('?start=2025-01-01T00:00:00Z&end=2026-01-02T00:00:00Z')).status, 200)
  })

  it('is apart in the sandbox, and costs nothing there', async () => {
    assert.deepEqual((await ask('', server.testKey)).body.total, sumOf([]))
    const headers = { authorization: `Bearer ${server.testKey}`, prefer: 'wait=30' }
    const { body: task } = await server.request('POST', '/v1/tasks', { json: digit(6), headers })
    assert.equal(task.status, 'succeeded')
    const { total } = await counted(() => ask('', server.testKey), 1)
    assert.deepEqual(total, sumOf([task]))
    assert.equal(total.cost.amount, '0.000000')
    assert.deepEqual((await ask('')).body.total, sumOf(tasks))
  })

  it('outlives the process, and counts nothing again', async () => {
    await server.kill()
    await server.restart()
    const again = await counted(() => ask(''), tasks.length)
    assert.deepEqual(again.total, sumOf(tasks))
    await run(server, digit(5))
    const { total } = await counted(() => ask(''), tasks.length + 1)
    assert.equal(total.tasks.succeeded, 4)
  })
})
