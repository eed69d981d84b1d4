/** Numbers as people write them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readNumber } from './number.ts'

describe('numbers', () => {
  for (const [cell, comma, value] of [
    ['12', false, 12],
    ['-1.5e3', false, -1500],
    ['1,234,567.5', false, 1234567.5],
    ['1.234,5', true, 1234.5],
    ['NA', false, Number.NaN],
    ['', false, Number.NaN],
    ['12 apples', false, undefined],
    ['0x10', false, undefined],
    ['Infinity', false, undefined],
    ['=1+1', false, undefined],
  ] as const)
    it(`reads ${JSON.stringify(cell)} as ${value}`, () => {
      assert.equal(readNumber(cell, comma), value)
    })
})
