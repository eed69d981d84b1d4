import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatMs, formatTimestamp, parseTimestamp } from './timestamp.ts'

test('times are written as Date writes them', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), ms => {
      assert.equal(formatMs(ms), new Date(ms).toISOString())
    }),
  )
})

test('what a millisecond has not is cut off', () => {
  assert.equal(formatTimestamp({ seconds: 0n, nanos: 999_999_999 } as never), '1970-01-01T00:00:00.999Z')
})

for (const [text, seconds, nanos] of [
  ['2026-11-21T07:30:00Z', 1_795_246_200, 0],
  ['2026-11-21t07:30:00.123z', 1_795_246_200, 123_000_000],
  ['2026-11-21T09:00:00.123456789+01:30', 1_795_246_200, 123_456_789],
  ['2026-11-21T00:30:00-07:00', 1_795_246_200, 0],
  ['0001-01-01T00:00:00Z', -62_135_596_800, 0],
  ['9999-12-31T23:59:59.999999999Z', 253_402_300_799, 999_999_999],
  ['2024-02-29T00:00:00Z', 1_709_164_800, 0],
  ['2026-11-21T07:30:00.1234567899Z', 1_795_246_200, 123_456_789],
  ['2016-12-31T23:59:60Z', 1_483_228_800, 0],
  ['0000-12-31T00:00:00Z', -62_135_596_800, 0],
  ['0001-01-01T00:00:00+00:01', -62_135_596_800, 0],
  ['9999-12-31T23:59:59-00:01', 253_402_300_799, 999_999_999],
] as const) {
  test(`${text} is read`, () => {
    assert.deepEqual(parseTimestamp(text), { seconds: BigInt(seconds), nanos })
  })
}

for (const text of [
  '',
  '2026-11-21',
  '2026-11-21T07:30:00',
  '2026-11-21 07:30:00Z',
  '2026-11-21T07:30Z',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:61Z',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00+01:60',
  '+02026-01-01T00:00:00Z',
  '2026-01-01T00:00:00Z\n',
  `2026-01-01T00:00:00.${'0'.repeat(200)}Z`,
  '1795246200',
]) {
  test(`${JSON.stringify(text)} is no time`, () => {
    assert.equal(parseTimestamp(text), undefined)
  })
}
