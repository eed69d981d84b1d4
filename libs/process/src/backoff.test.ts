import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { backoff } from './backoff.ts'

describe('backoff', () => {
  it('doubles its limit with each try, up to the most', () => {
    const wait = backoff({ baseMs: 1_000, maxMs: 60_000, random: () => 1 })
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map(wait)
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  })

  it('spreads each wait from 0 to its limit, however many tries there were', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const wait = backoff({ baseMs: 5, maxMs: 100, random: () => random })(attempt)
          const limit = backoff({ baseMs: 5, maxMs: 100, random: () => 1 })(attempt)
          assert.ok(wait >= 0 && wait <= limit && limit <= 100)
          assert.equal(wait, random * limit)
        },
      ),
    )
  })
})
