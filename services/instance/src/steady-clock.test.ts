import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import { createSteadyClock } from './steady-clock.ts'

const start = Date.UTC(2026, 10, 26)

test('jumps of the calendar do not count, in either direction; drift does', async () => {
  const clock = manualClock(start)
  const now = createSteadyClock(clock)
  await clock.advance(5_000)
  assert.equal(now(), start + 5_000)
  clock.step(3_600_000)
  assert.equal(now(), start + 5_000)
  await clock.advance(1_000)
  clock.step(-7_200_000)
  assert.equal(now(), start + 6_000)
  clock.step(300)
  assert.equal(now(), start + 6_300)
  clock.step(-400)
  assert.equal(now(), start + 6_300, 'it never goes back')
  await clock.advance(1_000)
  assert.equal(now(), start + 6_900)
})
