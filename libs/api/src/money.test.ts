import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimalOf, microsOf } from './money.ts'

test('millionths are shown with six places', () => {
  for (const [micros, decimal] of [
    [0, '0.000000'],
    [20, '0.000020'],
    [12_480_000, '12.480000'],
    [Number.MAX_SAFE_INTEGER, '9007199254.740991'],
  ] as const)
    assert.equal(decimalOf(micros), decimal)
})

test('what is shown is read as it was', () => {
  fc.assert(fc.property(fc.maxSafeNat(), micros => assert.equal(microsOf(decimalOf(micros)), micros)))
})

test('nothing else is read', () => {
  for (const text of ['', '1', '1.0', '-1.000000', '1.0000000', ' 1.000000', '1,000000', '9007199254.740992'])
    assert.throws(() => microsOf(text), TypeError)
})
