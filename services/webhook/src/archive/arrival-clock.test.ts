import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import { createArrivalClock } from './arrival-clock.ts'

const noon = Date.UTC(2026, 10, 22, 12)
const HOUR_MS = 3_600_000

test('arrivals are the time, and ascend within a millisecond and when the clock steps back', () => {
  const clock = manualClock(noon)
  const { next } = createArrivalClock(clock)
  assert.deepEqual([next(), next()], [noon * 1000, noon * 1000 + 1])
  clock.step(5)
  assert.equal(next(), noon * 1000 + 5_000)
  clock.step(-HOUR_MS / 2)
  assert.deepEqual([next(), next()], [noon * 1000 + 5_001, noon * 1000 + 5_002])
  clock.step(HOUR_MS / 2 + 1)
  assert.equal(next(), noon * 1000 + 6_000)
})

test('arrivals are ahead of the time while writes are slow, by twice as long as they take', async () => {
  const clock = manualClock(noon)
  const { next, took } = createArrivalClock(clock)
  took(499)
  assert.equal(next(), noon * 1000)
  took(2_000)
  assert.deepEqual([next(), next()], [(noon + 4_000) * 1000, (noon + 4_000) * 1000 + 1])
  for (let writes = 0; writes < 50; writes++) took(600)
  await clock.advance(30_000)
  assert.equal(next(), (noon + 31_200) * 1000, 'what was very slow once is forgotten')
  await clock.advance(60_000)
  assert.equal(next(), (noon + 90_000) * 1000)
  took(20_000)
  for (let writes = 0; writes < 40; writes++) took(5)
  assert.equal(next(), (noon + 90_000) * 1000 + 1, 'who reads is not kept waiting once writes are swift again')
})

test('arrivals go on after the latest that is there, unless a clock that had gone mad has made it', () => {
  const after = (last: number) => createArrivalClock(manualClock(noon), last)
  assert.equal(after((noon - 1) * 1000).next(), noon * 1000)
  assert.equal(after((noon + HOUR_MS - 1) * 1000).next(), (noon + HOUR_MS - 1) * 1000 + 1)
  const { next } = after((noon + 2 * HOUR_MS) * 1000)
  assert.deepEqual([next(), next()], [noon * 1000, noon * 1000 + 1])
})
