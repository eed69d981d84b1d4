/** Weeks, quarters and seasons that look like months, and what stands beside a series. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readSeries } from './series.ts'

const read = (csv: string) => {
  const brief = { topic: '', tone: '', constraints: {}, seed: 1, files: [], input: { horizon: 1, csv } }
  const [series, ...others] = readSeries(brief)
  assert.ok(series && others.length === 0)
  return series
}

const table = (header: string, row: (at: number) => string) =>
  [header, ...Array.from({ length: 20 }, (_, at) => row(at))].join('\n')
const padded = (number: number) => String(number).padStart(2, '0')

for (const [what, csv, frequency, next] of [
  ['weeks', table('week,v', at => `2026${padded(at + 1)},${at}`), 'weekly', '2026-05-18'],
  ['weeks with a slash', table('KW;v', at => `${padded(at + 1)}/2026;${at},5`), 'weekly', '2026-05-18'],
  ['quarters', table('Quartal;v', at => `${(at % 4) + 1}/${2020 + Math.floor(at / 4)};${at}`), 'quarterly', '2025-Q1'],
  ['seasons', table('season,v', at => `${2000 + at}/${padded(at + 1)},${at}`), 'yearly', '2020'],
  ['years and weeks', table('Jahr,KW,v', at => `2026,${at + 1},${at}`), 'weekly', '2026-05-18'],
  ['years, months and days', table('year,month,day,v', at => `2026,1,${at + 1},${at}`), 'daily', '2026-01-21'],
  ['days without signs between', table('Datum,v', at => `${padded(at + 1)}012026,${at}`), 'daily', '2026-01-21'],
] as const)
  it(`forecasts ${what}, and says how they are read`, () => {
    const series = read(csv)
    assert.equal(series.frequency, frequency)
    assert.equal(series.timeOf(series.values.length), next)
    assert.match(series.warnings.join('\n'), /(?:is read as|are read together as) /)
  })

it('does not forecast ids with a point, and says which column tells debits from credits', () => {
  const row = (at: number) => `1001.0,2026-01-${padded(at + 1)},${at * at},${at % 2 ? 'S' : 'H'}`
  const { name, warnings } = read(table('customer_id,day,amount,S/H', row))
  assert.equal(name, 'amount')
  assert.match(warnings.join('\n'), /"customer_id" names or counts rows/)
  assert.match(warnings.join('\n'), /"S\/H" has "H" and "S"/)
})

it('says which value may stand for a missing one', () => {
  const { values, warnings } = read(table('day,v', at => `2026-01-${padded(at + 1)},${at % 6 === 3 ? -999 : 20 + at}`))
  assert.equal(values[3], -999)
  assert.match(warnings.join('\n'), /"v" has -999 in 3 rows, the first is row 4: far from its other values/)
})
