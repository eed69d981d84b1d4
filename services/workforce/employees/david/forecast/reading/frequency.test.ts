/** How often there is a value, and in which season. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { airPassengers } from '../models/series-of-r.fixture.ts'
import { dated, days, read } from './brief.fixture.ts'

describe('how often there is a value', () => {
  for (const [frequency, timestamps, next] of [
    ['yearly', Array.from({ length: 12 }, (_, i) => `${2000 + i}`), '2012'],
    ['quarterly', Array.from({ length: 12 }, (_, i) => `${2000 + Math.floor(i / 4)} Q${(i % 4) + 1}`), '2003-Q1'],
    ['monthly', Array.from({ length: 12 }, (_, i) => `2025-${String(i + 1).padStart(2, '0')}-28`), '2026-01'],
    ['weekly', days(12, 7 * 86_400), '2026-03-26'],
    ['daily', days(12, 86_400), '2026-01-13'],
    ['hourly', days(12, 3600), '2026-01-01T12:00:00Z'],
    ['half_hourly', days(12, 1800), '2026-01-01T06:00:00Z'],
    ['every 10 minutes', days(12, 600), '2026-01-01T02:00:00Z'],
    ['every 4 weeks', days(12, 28 * 86_400), '2026-12-03'],
  ] as const)
    it(`is seen: ${frequency}`, () => {
      const series = read(dated(timestamps))
      assert.equal(series.frequency, frequency)
      assert.equal(series.timeOf(12), next)
    })

  it('sees that nobody works at weekends', () => {
    const weekdays = days(21, 86_400).filter(day => ![0, 6].includes(new Date(day).getUTCDay()))
    const series = read(dated(weekdays))
    assert.equal(series.frequency, 'business_daily')
    // The first of January 2026 is a Thursday; the 21 days end on a Wednesday.
    assert.deepEqual([0, 1, 2, 15].map(series.timeOf), ['2026-01-01', '2026-01-02', '2026-01-05', '2026-01-22'])
  })

  it('reads 1/2/2026, 1/3/2026 … with the order by which the steps are equal, and says so', () => {
    const monthly = read(dated(Array.from({ length: 9 }, (_, i) => `01/0${i + 1}/2026`)))
    assert.equal(monthly.frequency, 'daily')
    assert.match(monthly.warnings.join(), /month first/)
    const uneven = read(
      dated([
        '01/01/2026',
        '02/01/2026',
        '03/01/2026',
        '04/01/2026',
        '05/01/2026',
        '06/01/2026',
        '07/01/2026',
        '08/01/2026',
        '09/01/2026',
        '10/01/2026',
        '11/01/2026',
        '12/01/2026',
        '01/02/2027',
        '02/02/2027',
        '03/02/2027',
      ]),
    )
    assert.equal(uneven.frequency, 'monthly')
  })

  it('looks for a season in values without times, and says what it found', () => {
    const { periods, warnings } = read({ values: [...airPassengers] })
    assert.deepEqual(periods, [12])
    assert.match(warnings.join(), /season of 12 steps was found/)
    assert.deepEqual(read({ values: Array.from({ length: 100 }, (_, t) => Math.sin(t * t)) }).periods, [])
  })

  it('looks for no season in two of its length, and says how many values it needs', () => {
    const { periods, warnings } = read({ values: [...airPassengers.subarray(0, 24)], frequency: 'monthly' })
    assert.deepEqual(periods, [])
    assert.match(warnings.join(), /No season of 12 steps .* more than 24 values, and there are 24/)
  })
})
