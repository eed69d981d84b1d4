import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@millhand/runner'
import type { ArchivedEvent } from '../archived-event.ts'
import { openArrivals } from './arrivals.ts'

const noon = Date.UTC(2026, 10, 22, 12)
const HOUR_MS = 3_600_000

const after = (newest: number | undefined, clock = manualClock(noon)) =>
  openArrivals({ find: async () => (newest === undefined ? [] : [{ arrived: newest } as ArchivedEvent]) }, clock)

test('arrivals are the time, and ascend within a millisecond and when the clock steps back', async () => {
  const clock = manualClock(noon)
  const next = await after(undefined, clock)
  assert.deepEqual([next(), next()], [noon * 1000, noon * 1000 + 1])
  clock.step(5)
  assert.equal(next(), noon * 1000 + 5_000)
  clock.step(-HOUR_MS / 2)
  assert.deepEqual([next(), next()], [noon * 1000 + 5_001, noon * 1000 + 5_002])
  clock.step(HOUR_MS / 2 + 1)
  assert.equal(next(), noon * 1000 + 6_000)
})

test('an arrival may be ahead of the time, and the next ones stay behind it', async () => {
  const clock = manualClock(noon)
  const next = await after(undefined, clock)
  assert.deepEqual([next(4_000), next()], [(noon + 4_000) * 1000, (noon + 4_000) * 1000 + 1])
  clock.step(5_000)
  assert.equal(next(), (noon + 5_000) * 1000)
})

test('arrivals go on after the newest that is stored, unless a clock that had gone mad has stored it', async () => {
  assert.equal((await after((noon - 1) * 1000))(), noon * 1000)
  assert.equal((await after((noon + HOUR_MS - 1) * 1000))(), (noon + HOUR_MS - 1) * 1000 + 1)
  const next = await after((noon + 2 * HOUR_MS) * 1000)
  assert.deepEqual([next(), next()], [noon * 1000, noon * 1000 + 1])
})
