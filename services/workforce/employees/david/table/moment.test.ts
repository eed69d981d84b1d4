/** Times as people write them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { dayOrderOf, readMoment } from './moment.ts'

describe('times', () => {
  for (const [text, day] of [
    ['2026', '2026-01-01'],
    ['2026-Q3', '2026-07-01'],
    ['Q3 2026', '2026-07-01'],
    ['2026-07', '2026-07-01'],
    ['07/2026', '2026-07-01'],
    ['07.2026', '2026-07-01'],
    ['202607', '2026-07-01'],
    ['Jul 2026', '2026-07-01'],
    ['1991 July', '1991-07-01'],
    ['2026-W01', '2025-12-29'],
    ['20260731', '2026-07-31'],
    ['2026-07-31', '2026-07-31'],
    ['31.7.2026', '2026-07-31'],
    ['2026-07-31T23:00:00+02:00', '2026-07-31T21:00:00'],
    ['2026-07-31 23:05', '2026-07-31T23:05:00'],
  ] as const)
    it(`reads ${text}`, () => {
      const { at = Number.NaN } = readMoment(text, 'month first') ?? {}
      assert.equal(new Date(at).toISOString().slice(0, day.length), day)
    })

  for (const text of [
    '',
    'soon',
    '2026-13',
    '2026-02-30',
    '31.2.2026',
    '2026-01-01T25:00',
    '0',
    '99999',
    '2026-Q5',
    '1e5',
    '1.2345',
    '202613',
    '123406',
  ])
    it(`does not take ${JSON.stringify(text)} for a time`, () => {
      assert.equal(readMoment(text, 'day first'), undefined)
    })

  it('decides between day and month for a whole column', () => {
    assert.equal(dayOrderOf(['1/2/2026', '13/2/2026']), 'day first')
    assert.equal(dayOrderOf(['1/2/2026', '1/13/2026']), 'month first')
    assert.equal(dayOrderOf(['1/2/2026', '2/2/2026']), 'either')
    assert.equal(dayOrderOf(['13/2/2026', '1/13/2026']), undefined)
  })

  it('takes any text without losing its way', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), text => {
        const { at } = readMoment(text, 'day first') ?? {}
        return at === undefined || Number.isFinite(at)
      }),
    )
  })
})
