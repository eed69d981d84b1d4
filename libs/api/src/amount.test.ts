import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import { divideHalfEven, dueMicros, proratedMicros, runMicros } from './amount.ts'

const DAY_MS = 86_400_000

test('halves are rounded to the even number, and all else to the nearest', () => {
  const rounded = [-25n, -15n, -14n, -5n, -4n, 0n, 4n, 5n, 6n, 15n, 25n].map(tenths => divideHalfEven(tenths, 10n))
  assert.deepEqual(rounded, [-2n, -2n, -1n, 0n, 0n, 0n, 0n, 0n, 1n, 2n, 2n])
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: 10n ** 12n }), (dividend, divisor) => {
      const off = 2n * (divideHalfEven(dividend, divisor) * divisor - dividend)
      assert.ok(off <= divisor && off >= -divisor)
      assert.equal(divideHalfEven(-dividend, divisor), -divideHalfEven(dividend, divisor))
    }),
  )
})

test('a run costs whole micro-dollars, rounded up', () => {
  for (const [ms, nanos, micros] of [
    [0, 20_000, 0],
    [1, 20_000, 1],
    [50, 20_000, 1],
    [51, 20_000, 2],
    [13, 1_000_000_000, 13_000],
    [2 ** 32 - 1, 999_999_999_999, 4_294_967_294_995_706],
    [1, 1, 1],
    [1_000_000, 1, 1],
  ] as const)
    assert.equal(runMicros(ms, nanos), micros, `${ms} ms`)
  assert.throws(() => runMicros(2 ** 52, 999_999_999_999), RangeError)
})

describe('a part of a month', () => {
  const month = (year: number, index: number) => ({ start: Date.UTC(year, index), end: Date.UTC(year, index + 1) })

  it('costs its share by the second', () => {
    const november = month(2026, 10)
    const day = (from: number, to: number) => ({
      start: november.start + from * DAY_MS,
      end: november.start + to * DAY_MS,
    })
    assert.equal(proratedMicros(49_000_000, november, november), 49_000_000)
    assert.equal(proratedMicros(30_000_000, november, day(0, 1)), 1_000_000)
    assert.equal(proratedMicros(49_000_000, november, day(14, 15)), 1_633_333)
    assert.equal(proratedMicros(29_000_000, november, { start: november.start, end: november.start + 999 }), 0)
    // 28, 29 and 31 days.
    assert.equal(
      proratedMicros(28_000_000, month(2026, 1), { start: Date.UTC(2026, 1, 28), end: Date.UTC(2026, 2) }),
      1_000_000,
    )
    assert.equal(
      proratedMicros(29_000_000, month(2028, 1), { start: Date.UTC(2028, 1, 29), end: Date.UTC(2028, 2) }),
      1_000_000,
    )
    assert.equal(
      proratedMicros(31_000_000, month(2026, 11), { start: Date.UTC(2026, 11, 31), end: Date.UTC(2027, 0) }),
      1_000_000,
    )
  })

  it('adds up with the others to the whole, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2024, max: 2032 }),
        fc.nat(11),
        fc.nat(10_000_000_000),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 50 }),
        (year, index, micros, cuts) => {
          const whole = month(year, index)
          const length = whole.end - whole.start
          const times = [0, ...cuts.toSorted((a, b) => a - b), 1].map(cut => whole.start + Math.floor(cut * length))
          const parts = times
            .slice(1)
            .map((end, at) => proratedMicros(micros, whole, { start: times[at] as number, end }))
          assert.equal(
            parts.reduce((sum, part) => sum + part, 0),
            micros,
          )
          assert.ok(parts.every(part => part >= 0))
        },
      ),
    )
  })
})

test('the amount that is due is in whole cents, a half to the even one', () => {
  for (const [micros, due] of [
    [0, 0],
    [5_000, 0],
    [5_001, 10_000],
    [15_000, 20_000],
    [24_999, 20_000],
    [25_000, 20_000],
    [-5_000, 0],
    [-15_000, -20_000],
    [12_345_678, 12_350_000],
  ] as const)
    assert.equal(dueMicros(micros), due, `${micros}`)
})
