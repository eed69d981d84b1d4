/** Values that are missing. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { airPassengers } from '../models/series-of-r.fixture.ts'
import { dated, days, read, refused } from './brief.fixture.ts'

describe('missing values', () => {
  it('are interpolated with the season in mind, and counted', () => {
    const values: (number | null)[] = [...airPassengers]
    values[60] = null
    const series = read({ values, frequency: 'monthly' })
    assert.equal(series.filled, 1)
    assert.match(series.warnings.join(), /1 of 144 values were missing and are interpolated/)
    // Between 201 in December and 188 in February, January was 204.
    assert.ok(Math.abs((series.values[60] ?? 0) - 204) < 12, `${series.values[60]}`)
  })

  it('are the days without a row, and zero where that is what they mean', () => {
    const timestamps = days(20, 86_400).filter((_, i) => i !== 7)
    const input = dated(timestamps)
    assert.equal(read(input).values.length, 20)
    assert.equal(read({ ...input, missing: 'zero' }).values[7], 0)
  })

  it('are refused where little else is there', () => {
    refused({ values: Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? i : null)) }, /15 of 29|14 of 29/)
    refused({ values: [null, null, null] }, /0 values/)
  })

  it('at the end of rows with times: the warning names them, and where the forecast begins', () => {
    const quarters = Array.from({ length: 14 }, (_, i) => `${2020 + (i >> 2)}-Q${1 + (i % 4)}`)
    const csv = `quarter,approval\n${quarters.map((quarter, i) => `${quarter},${i < 12 ? 40 + (i % 4) : ''}`).join('\n')}\n`
    const series = read({ csv })
    assert.equal(series.values.length, 12)
    assert.equal(series.timeOf(12), '2023-Q1')
    assert.match(
      series.warnings.join('\n'),
      /^Values 13, 14 of 14, at the end, are missing: the forecast begins with 2023-Q1, right after the last value that is there\.$/m,
    )
    const whole = read({ csv: csv.replaceAll(/,$/gm, ',40') })
    assert.doesNotMatch(whole.warnings.join(), /at the end/)
  })

  it('at the end: the forecast begins after what is known', () => {
    const series = read({ values: [1, 2, 3, 4, 5, 6, 7, 8, 9, null] })
    assert.equal(series.values.length, 9)
    assert.match(
      series.warnings.join(),
      /^Value 10 of 10, at the end, is missing: the forecast begins right after the last value/,
    )
  })
})
