import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRange } from './range-header.ts'

const largest = 2 ** 32 - 1

for (const [header, expected] of [
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=0-499', { start: 0, end: 499 }],
  ['Bytes= 5-', { start: 5 }],
  ['bytes=-5 ', { suffix: 5 }],
  ['bytes=-0', { suffix: 0 }],
  ['bytes=007-09', { start: 7, end: 9 }],
  ['bytes=99999999999999999999-', { start: largest }],
  ['bytes=1-99999999999999999999', { start: 1, end: largest }],
  ['bytes=18446744073709551615-18446744073709551614', undefined],
  ['bytes=5-4', undefined],
  ['bytes=-', undefined],
  ['bytes=', undefined],
  ['bytes', undefined],
  ['', undefined],
  ['bytes=0-1,3-4', undefined],
  ['bytes=0-1,', undefined],
  ['bytes=a-b', undefined],
  ['bytes=+1-2', undefined],
  ['bytes=1.0-2', undefined],
  ['bytes=--5', undefined],
  ['bytes=0 - 5', undefined],
  ['lines=0-5', undefined],
  [`bytes=${'9'.repeat(10_000)}-`, undefined],
  [undefined, undefined],
] as const) {
  test(`Range: ${String(header).slice(0, 40)}`, () => assert.deepEqual(parseRange(header), expected))
}
