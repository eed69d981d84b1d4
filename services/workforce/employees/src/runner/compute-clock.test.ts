import assert from 'node:assert/strict'
import { it } from 'node:test'
import { computeClock } from './compute-clock.ts'

it('a run computes from its start, without the answers that it waits for', async () => {
  let now = 100
  const clock = computeClock(() => now)
  const later = async (ms: number) => {
    now += ms
    return ms
  }
  now += 5
  assert.equal(await clock.without(later(1_000)), 1_000)
  assert.equal(clock.ms(), 1_005)
  now += 7
  assert.equal(clock.ms(), 1_012)
})
