import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHealth, manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { watchTokenExpiry } from './token-expiry.ts'

const DAY_MS = 86_400_000

test('the log hears of a token’s end each day from a week before, and at its end it is not ready', async () => {
  const clock = manualClock(0)
  const lines: string[] = []
  const log = createLog({ level: 'info', format: 'json', write: line => lines.push(line) })
  const health = createHealth()
  health.set('all else', true)
  const ending = new AbortController()
  const watching = watchTokenExpiry(9.25 * DAY_MS, { clock, log, health }, ending.signal)
  const told = async (days: number) => {
    await clock.advance(days * DAY_MS)
    return lines
      .splice(0)
      .map(line => JSON.parse(line))
      .map(({ level, event, expires_at }) => [level, event, expires_at])
  }
  const end = '1970-01-10T06:00:00.000Z'
  assert.deepEqual(await told(2), [])
  assert.deepEqual(await told(1), [['warn', 'credentials.expire', end]])
  assert.deepEqual(await told(1), [['warn', 'credentials.expire', end]])
  assert.equal((await told(5)).length, 5)
  assert.ok(health.ready().ready)
  assert.deepEqual(await told(0.25), [['error', 'credentials.expired', end]])
  assert.equal(health.ready().checks.token?.reason, `MILLHAND_SERVICE_TOKEN expired at ${end}`)
  assert.deepEqual(await told(1), [['error', 'credentials.expired', end]])
  ending.abort()
  await watching
})
