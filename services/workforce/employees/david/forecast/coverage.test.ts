import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rangeOf, verdictOn } from './coverage.ts'

describe('intervals that were held against what came', () => {
  for (const [level, share, values, verdict] of [
    [95, 0.95, 200, 'kept'],
    [95, 0.9, 200, 'kept'],
    [95, 0.98, 200, 'kept'],
    [95, 0.89, 200, 'broken'],
    [95, 0.99, 400, 'broken'],
    [95, 0.82, 54, 'broken'],
    [95, 0.93, 54, 'unknown'],
    [95, 1, 54, 'unknown'],
    [95, 0.625, 8, 'broken'],
    [95, 0.875, 8, 'unknown'],
    [95, 1, 140, 'broken'],
    [80, 0.8, 200, 'kept'],
    [80, 0.7, 200, 'broken'],
    [80, 0.5, 54, 'broken'],
    [80, 0.75, 54, 'unknown'],
    [99, 1, 40, 'unknown'],
    [99, 1, 200, 'kept'],
    [99, 0.96, 200, 'broken'],
  ] as const)
    it(`${100 * share} % of ${values} values in ${level} % intervals: ${verdict}`, () => {
      assert.equal(verdictOn(level, share, values), verdict)
    })

  it('may hold 90 to 98 % where they promise 95', () => {
    assert.deepEqual(rangeOf(95), { least: 90, most: 98 })
    assert.deepEqual(rangeOf(80), { least: 70.8, most: 85.5 })
    assert.deepEqual(rangeOf(99), { least: 96.7, most: 100 })
  })
})
