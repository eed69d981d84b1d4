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
