import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { noon } from './delivery.fixture.ts'
import { retryAfterMs, waitAfter } from './retry-schedule.ts'

const day = 86_400_000

describe('the wait after a failure', () => {
  it('is within a tenth of the schedule', () => {
    assert.deepEqual(
      [0, 0.5, 0.999].map(random => waitAfter(1, random)),
      [4_500, 5_000, 5_499],
    )
    assert.deepEqual(
      [0, 0.5].map(random => waitAfter(11, random)),
      [0.9 * day, day],
    )
    assert.equal(waitAfter(12, 0.5), undefined)
  })
})

describe('Retry-After', () => {
  const asked: [string, number | undefined][] = [
    ['120', 120_000],
    [' 7 ', 7_000],
    ['0', 0],
    ['Sun, 22 Nov 2026 12:01:00 GMT', 60_000],
    ['Sunday, 22-Nov-26 12:01:00 GMT', 60_000],
    ['Sun Nov 22 12:01:00 2026', 60_000],
    ['Sun, 22 Nov 2026 11:00:00 GMT', 0],
    ['99999999999999999999', day],
    ['Fri, 31 Dec 9999 23:59:59 GMT', day],
    ['-5', undefined],
    ['1e9', undefined],
    ['0x10', undefined],
    ['12.5', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['', undefined],
    ['2026-11-22T12:01:00Z', undefined],
    ['Sun, 99 Nov 2026 12:01:00 GMT', undefined],
    ['tomorrow', undefined],
    ['120, 240', undefined],
  ]
  for (const [value, ms] of asked) {
    it(`${JSON.stringify(value)}: ${ms ?? 'says nothing'}`, () => assert.equal(retryAfterMs(value, noon), ms))
  }

  it('never asks for more than a day or less than nothing, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const ms = retryAfterMs(text, noon) ?? 0
        assert.ok(ms >= 0 && ms <= day)
      }),
    )
  })
})
