import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimalOf, MOST_COUNT, microsOf, priceOf, quantity, signedDecimalOf } from './money.ts'

test('millionths are shown with six places', () => {
  for (const [micros, decimal] of [
    [0, '0.000000'],
    [20, '0.000020'],
    [12_480_000, '12.480000'],
    [Number.MAX_SAFE_INTEGER, '9007199254.740991'],
  ] as const)
    assert.equal(decimalOf(micros), decimal)
})

test('what is given back has its sign', () => {
  assert.deepEqual([-1, 0, -12_480_000].map(signedDecimalOf), ['-0.000001', '0.000000', '-12.480000'])
})

test('a price has as many places as it needs, and six at least', () => {
  const prices = [0, 20_000, 694_444, 1, 1_500_000_000, 12_345_678_900].map(priceOf)
  assert.deepEqual(prices, ['0.000000', '0.000020', '0.000694444', '0.000000001', '1.500000', '12.3456789'])
})

test('what is shown is read as it was', () => {
  fc.assert(fc.property(fc.maxSafeNat(), micros => assert.equal(microsOf(decimalOf(micros)), micros)))
})

test('nothing else is read', () => {
  for (const text of ['', '1', '1.0', '-1.000000', '1.0000000', ' 1.000000', '1,000000', '9007199254.740992'])
    assert.throws(() => microsOf(text), TypeError)
})

test('what can not be counted is neither shown nor kept', () => {
  for (const value of [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    0.5,
    1e308,
    -1e300,
    2 ** 53,
    null as never,
    '1' as never,
  ]) {
    assert.throws(() => decimalOf(value), RangeError, `${value}`)
    assert.throws(() => quantity(value), RangeError, `${value}`)
  }
  assert.equal(quantity(MOST_COUNT, MOST_COUNT), MOST_COUNT)
  assert.throws(() => quantity(MOST_COUNT + 1, MOST_COUNT), RangeError)
})
