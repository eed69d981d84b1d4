/** Series that are made to break a forecast: numbers that are finite come of them, or words that say what is wrong. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type Brief, Refusal } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import type { RawTable } from '../table/raw-table.ts'
import { readFile } from '../table/sources.ts'
import { checksOf } from './checks.ts'
import { forecastOf } from './engine.ts'
import type { ForecastInput } from './input.ts'

const outputSchema = JSON.parse(readFileSync(new URL('output.schema.json', import.meta.url), 'utf8'))

function ask(input: Partial<ForecastInput>, files: Brief['files'] = [], table?: RawTable) {
  const whole = { horizon: 4, ...input }
  const brief: Brief<ForecastInput> = { topic: '', tone: '', constraints: {}, files, seed: 1, input: whole }
  const { result, warnings = [], artifacts = [] } = forecastOf(brief, table)
  const told = { result, checks: checksOf(brief, { result, text: '', warnings, artifacts }, table) }
  return { ...told, told, warnings, table: new TextDecoder().decode(artifacts[0]?.bytes) }
}

const many = <T>(count: number, of: (i: number) => T) => Array.from({ length: count }, (_, i) => of(i))
const dated = (count: number, time: (i: number) => string) => ({
  values: many(count, i => 10 + (i % 7) + i / 10),
  timestamps: many(count, time),
})
const two = (n: number) => String(n).padStart(2, '0')
/** Ten minutes before the leap second and ten after. */
const minute = (i: number) => new Date(Date.UTC(2016, 11, 31, 23, 51 + i)).toISOString()

describe('a forecast has nothing but finite numbers, its checks too', () => {
  for (const [what, input] of [
    ['of values that never change', { values: many(40, () => 0.1) }],
    ['of seasons that are all the same', { values: many(20, i => i % 5) }],
    ['of seasons of fractions that are all the same', { values: many(60, i => ((i % 7) + 1) / 3) }],
    ['of the greatest values, up and down', { values: many(60, i => (i % 2 ? 1e15 : -1e15)) }],
    ['of one great value among the smallest', { values: many(60, i => (i === 30 ? 1e15 : 1e-12)) }],
    ['of zeros up to the last', { values: many(60, i => (i === 59 ? 1 : 0)), non_negative: true }],
    ['of small changes of great values', { values: many(60, i => 1e15 - 1000 + ((i * 7) % 13)) }],
    ['of values that double', { values: many(48, i => 2 ** i) }],
    ['of a season as long as they go back', { values: many(30, i => i % 11), season_length: 2000 }],
    ['of days out of order', dated(20, i => `2026-01-${two(((i * 7) % 20) + 1)}`)],
    ['of the years from 1', dated(20, i => `00${two(i + 1)}`)],
    ['of the second that leaps', dated(20, i => (i === 9 ? '2016-12-31T23:59:60Z' : minute(i)))],
  ] as const)
    it(what, () => {
      const { told, result, table } = ask(input)
      assert.deepEqual(JSON.parse(JSON.stringify(told)), told)
      assert.equal(faultsOf(outputSchema, result), undefined)
      assert.doesNotMatch(table, /NaN|Infinity|null/)
    })
})

it('that may not be negative of values that all are tells so, and does not pass for as good as the naive method', () => {
  const { warnings, told } = ask({ values: many(60, i => -100 - (i % 7)), non_negative: true })
  assert.match(warnings.join(), /`non_negative` is set, and 60 of 60 values are negative/)
  assert.equal(told.checks.find(({ id }) => id === 'backtest_mase')?.pass, false)
})

describe('a forecast is refused, in words that help', () => {
  for (const [what, input, words] of [
    ['beyond the year 9999', dated(20, i => String(9980 + i)), /beyond the year 9999/],
    [
      'of months beyond it',
      dated(24, i => `${9998 + Math.floor(i / 12)}-${two((i % 12) + 1)}`),
      /beyond the year 9999/,
    ],
    ['of hours beyond it', dated(20, i => `9999-12-31T${two(i + 4)}:00:00Z`), /beyond the year 9999/],
    ['of the year 0', dated(20, i => `00${two(i)}`), /for example "0000"/],
    ['of years before it', dated(20, i => `-00${two(i)}`), /for example "-0000"/],
    ['of a time that a zone takes beyond it', dated(20, () => '9999-12-31T23:30:00-05:00'), /can be read/],
    ['of zones that nobody has', dated(20, i => `2026-01-${two(i + 1)}T00:00:00+99:99`), /can be read/],
    ['of hours that no day has', dated(20, i => `2026-01-${two(i + 1)}T24:59:60`), /can be read/],
    ['of no value at all', { values: many(60, () => null) }, /0 values/],
    [
      'of infinities in a table',
      { csv: `d,v\n${many(20, i => `2026-01-${two(i + 1)},1e999`).join('\n')}` },
      /"v" has "1e999" in row 1/,
    ],
    ['of words for them', { csv: `d,v\n${many(20, i => `2026-01-${two(i + 1)},-inf`).join('\n')}` }, /holds numbers/],
    [
      'of 190,000 series',
      { csv: `s,v\n${many(190_000, i => `s${i},1`).join('\n')}`, series_column: 's' },
      /at most 20/,
    ],
  ] as const)
    it(what, () => {
      assert.throws(
        () => ask(input),
        (error: unknown) => error instanceof Refusal && words.test(error.message),
      )
    })
})

it('200,000 values of one day are refused as soon as two are', () => {
  const began = process.cpuUsage()
  const input = { ...dated(200_000, () => '2026-01-01'), frequency: 'daily' as const }
  assert.throws(() => ask(input), /two values for 2026-01-01/)
  const { user } = process.cpuUsage(began)
  assert.ok(user < 30_000_000, `${user / 1_000} ms`)
})

it('a forecast up to the last day of the year 9999 is made', () => {
  const [series] = ask({ ...dated(20, i => `9999-12-${two(i + 8)}`) }).result.series
  assert.equal(series?.forecast.at(-1)?.time, '9999-12-31')
})

it('seasons that are all the same are said to be so, and are no constant', () => {
  assert.match(ask({ values: many(20, i => i % 5) }).warnings.join(), /All seasons are the same/)
})

it('a table in UTF-16, as spreadsheets save it, is forecast', async () => {
  const text = `\uFEFFday\tsold\r\n${many(20, i => `2026-01-${two(i + 1)}\t${i}`).join('\r\n')}`
  const file = { name: 'sold.txt', media_type: 'text/plain', bytes: Buffer.from(text, 'utf16le') }
  assert.equal(ask({}, [file], await readFile(file, {})).result.series[0]?.name, 'sold')
})

it('series have names of their own, whatever they are called', () => {
  const series = ['a', 'a (3)', 'a'].map(name => ({ name, values: many(20, i => i % 7) }))
  const names = ask({ series }).result.series.map(({ name }) => name)
  assert.equal(new Set(names).size, 3)
})
