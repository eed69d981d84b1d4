/** Forecasts as they are asked for and given. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Brief, Refusal } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import { randomOf } from '../analysis/random.ts'
import { checksOf } from './checks.ts'
import { forecastOf } from './engine.ts'
import type { ForecastInput } from './input.ts'
import { accidentalDeaths, airPassengers } from './models/series-of-r.fixture.ts'
import { normalQuantile } from './normal-quantile.ts'

const schema = (name: string) => JSON.parse(readFileSync(new URL(`${name}.schema.json`, import.meta.url), 'utf8'))
const [inputSchema, outputSchema] = [schema('input'), schema('output')]

function ask(input: ForecastInput) {
  const brief: Brief<ForecastInput> = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input }
  assert.equal(faultsOf(inputSchema, input), undefined)
  const answer = forecastOf(brief)
  assert.equal(faultsOf(outputSchema, answer.result), undefined)
  const measured = checksOf(brief, answer)
  const text = (name: string) => {
    const bytes = answer.artifacts?.find(artifact => artifact.name === name)?.bytes
    assert.ok(bytes, `${name} is made`)
    return new TextDecoder().decode(bytes)
  }
  return {
    answer,
    series: answer.result.series,
    measured,
    text,
    failed: measured.filter(({ pass }) => !pass).map(({ id }) => id),
  }
}

const months = (count: number) =>
  Array.from({ length: count }, (_, i) => `${1949 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`)

describe('a forecast', () => {
  it('of air passengers foresees the last year, with the times of its steps', () => {
    const { series, failed } = ask({
      values: [...airPassengers.subarray(0, 132)],
      timestamps: months(132),
      horizon: 12,
    })
    const forecast = series[0]?.forecast ?? []
    assert.deepEqual(failed, [])
    assert.deepEqual([forecast[0]?.time, forecast[11]?.time], ['1960-01', '1960-12'])
    const errors = forecast.map(({ point }, h) => Math.abs(point / (airPassengers[132 + h] ?? 0) - 1))
    assert.ok(errors.reduce((sum, error) => sum + error, 0) / 12 < 0.05, `${errors}`)
  })

  it('says which models it is made of, why, and how each did', () => {
    const [series] = ask({ values: [...accidentalDeaths], frequency: 'monthly', horizon: 6 }).series
    assert.ok(series)
    const { candidates, model, backtest } = series
    assert.deepEqual(candidates.map(({ id }) => id).toSorted(), [
      'arima',
      'damped_trend',
      'ets',
      'log_arima',
      'log_ets',
      'seasonal_naive',
      'stl_arima',
      'stl_ets',
      'theta',
    ])
    assert.deepEqual(
      candidates.map(({ mae }) => mae),
      candidates.map(({ mae }) => mae).toSorted((a, b) => a - b),
    )
    assert.ok(Math.abs(candidates.reduce((sum, { weight }) => sum + weight, 0) - 1) < 1e-6)
    for (const { form, weight } of candidates) assert.equal(model.name.includes(form), weight > 0, form)
    assert.match(model.why, /8 times the end of the series was held back/)
    assert.equal(backtest.origins, 8)
    assert.ok(candidates.find(({ id }) => id === 'arima')?.parameters.ma1)
  })

  it("measures itself by what its back-test's own lines say", () => {
    const { series, measured } = ask({
      values: [...accidentalDeaths],
      frequency: 'monthly',
      horizon: 6,
      levels: [80, 95],
    })
    const backtest = series[0]?.backtest
    assert.ok(backtest)
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const mase = mean(backtest.forecasts.map(({ actual, point }) => Math.abs(actual - point))) / backtest.scale
    const inside = mean(
      backtest.forecasts.map(({ actual, intervals: [, wide] }) =>
        wide && wide.lower <= actual && actual <= wide.upper ? 1 : 0,
      ),
    )
    assert.ok(Math.abs((backtest.mase ?? 0) - mase) < 1e-6)
    assert.ok(Math.abs((backtest.coverage[1]?.share ?? 0) - inside) < 1e-6)
    for (const { actual, known, step } of backtest.forecasts) assert.equal(actual, accidentalDeaths[known + step - 1])
    assert.equal(measured.find(({ id }) => id === 'backtest_mase')?.value, Number(mase.toPrecision(4)))
  })

  it('lists each step in its text, and where there are many says that some are left out', () => {
    const values = [...accidentalDeaths]
    const few = ask({ values, timestamps: months(72), horizon: 14 })
    assert.equal(few.answer.text.match(/^- \d{4}-\d\d: /gm)?.length, 14)
    assert.doesNotMatch(few.answer.text, /listed here/)
    const many = ask({ values, timestamps: months(72), horizon: 36 })
    assert.equal(many.answer.text.match(/^- \d{4}-\d\d: /gm)?.length, 10)
    assert.match(many.answer.text, /^Of the 36 steps 10 are listed here; forecast\.csv has all\.$/m)
  })

  it('says where its intervals are wider than need be', () => {
    const { normal } = randomOf(3)
    const values = Array.from({ length: 400 }, (_, i) => 50 + (i < 280 ? 5 : 0.5) * normal())
    const { answer, failed } = ask({ values, season_length: 1, horizon: 20, levels: [80] })
    assert.deepEqual(failed, ['backtest_coverage_80'])
    assert.match(answer.text, /1?\d\d % of the values lay in the 80 % interval: take it for wider than need be/)
  })

  it('judges its intervals where enough was held back, and says where it was not', () => {
    const { normal } = randomOf(2)
    const values = Array.from({ length: 600 }, () => 50 + normal())
    const sound = ask({ values, season_length: 1, horizon: 60, levels: [95] })
    const { level, share } = sound.series[0]?.backtest.coverage[0] ?? {}
    assert.equal(level, 95)
    assert.deepEqual(
      sound.measured.find(({ id }) => id === 'backtest_coverage_95'),
      {
        id: 'backtest_coverage_95',
        pass: true,
        value: Number((100 * (share ?? 0)).toPrecision(4)),
        target: '90 to 98 %',
      },
    )
    const few = ask({ values: [...accidentalDeaths], frequency: 'monthly', horizon: 6, levels: [95] })
    assert.ok(!few.measured.some(({ id }) => id.startsWith('backtest_coverage')))
    assert.match(few.answer.text, /24 values are too few to judge it by/)
    const narrow = ask({ values: [...airPassengers.subarray(72)], frequency: 'monthly', horizon: 12, levels: [95] })
    assert.deepEqual(narrow.failed, ['backtest_coverage_95'])
    assert.match(
      narrow.answer.warnings?.join() ?? '',
      /82 % of the values lay in the 95 % interval: take it for too narrow/,
    )
  })

  it('fails exactly the check that sees what is wrong', () => {
    const { normal } = randomOf(2)
    const values = Array.from({ length: 600 }, () => 50 + normal())
    const input: ForecastInput = { values, season_length: 1, horizon: 60, levels: [95], non_negative: true }
    const { answer, series, measured } = ask(input)
    const [whole] = series
    assert.ok(whole)
    const { forecast, backtest } = whole
    type Row = (typeof backtest.forecasts)[number]
    const held = (change: (row: Row, i: number) => Partial<Row>): Partial<typeof whole> => ({
      backtest: { ...backtest, forecasts: backtest.forecasts.map((row, i) => ({ ...row, ...change(row, i) })) },
    })
    const bounds = (lower: number, upper: number) => [{ level: 95, lower, upper }]
    const changed: Readonly<Record<string, Partial<typeof whole>>> = {
      steps: { forecast: forecast.slice(1) },
      no_intervals_out_of_order: {
        forecast: forecast.map((row, h) =>
          h === 3 ? { ...row, intervals: bounds(row.point + 1, row.point + 2) } : row,
        ),
      },
      no_invented_backtest_values: held(({ actual }, i) => (i === 3 ? { actual: actual + 1e-6 } : {})),
      backtest_mase: held(({ actual }) => ({ naive: actual })),
      backtest_coverage_95: held(({ point }) => ({ intervals: bounds(point, point) })),
      no_negative_values: {
        forecast: forecast.map((row, h) => (h === 3 ? { ...row, intervals: bounds(-1, row.point) } : row)),
      },
    }
    assert.deepEqual(
      measured.map(({ id }) => id),
      Object.keys(changed),
    )
    const brief = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input }
    for (const [id, change] of Object.entries(changed)) {
      const found = checksOf(brief, { ...answer, result: { series: [{ ...whole, ...change }] } })
      assert.deepEqual(
        found.flatMap(check => (check.pass ? [] : check.id)),
        [id],
      )
    }
  })

  it('goes on with a line, and says the same again where nothing ever changes', () => {
    const line = ask({ values: Array.from({ length: 40 }, (_, t) => 10 + 3 * t), horizon: 5 })
    assert.deepEqual(line.failed, [])
    line.series[0]?.forecast.forEach(({ point }, h) => {
      assert.ok(Math.abs(point - (130 + 3 * h)) < 0.5, `${point}`)
    })
    const { series, answer, failed } = ask({ values: Array.from({ length: 20 }, () => 7), horizon: 3 })
    assert.deepEqual(failed, [])
    for (const { point, intervals } of series[0]?.forecast ?? [])
      for (const value of [point, intervals[1]?.lower, intervals[1]?.upper])
        assert.ok(Math.abs((value ?? 0) - 7) < 1e-4)
    assert.match(answer.warnings?.join() ?? '', /All values are the same/)
    assert.equal(ask({ values: Array.from({ length: 20 }, () => 0), horizon: 1 }).series[0]?.forecast[0]?.point, 0)
  })

  it('stays at zero where nothing is below it, and says so where it was not told', () => {
    const values = Array.from({ length: 40 }, (_, t) => ((t * 7919) % 5 === 0 ? 6 : t % 3))
    const told = ask({ values, horizon: 6, non_negative: true })
    assert.ok(
      told.series[0]?.forecast.every(
        ({ point, intervals }) => point >= 0 && intervals.every(({ lower }) => lower >= 0),
      ),
    )
    assert.equal(told.measured.find(({ id }) => id === 'no_negative_values')?.pass, true)
    assert.match(ask({ values, horizon: 6 }).answer.warnings?.join() ?? '', /below zero though no value does/)
  })

  it('gives the intervals that were asked for, the wider around the narrower', () => {
    const { series, failed } = ask({
      values: [...accidentalDeaths],
      frequency: 'monthly',
      horizon: 4,
      levels: [99, 50, 90, 50],
    })
    assert.deepEqual(
      series[0]?.forecast[0]?.intervals.map(({ level }) => level),
      [50, 90, 99],
    )
    assert.ok(!failed.includes('no_intervals_out_of_order'))
  })

  it('of several series forecasts each by itself', () => {
    const both = ask({
      series: [
        { name: 'air', values: [...airPassengers] },
        { name: 'deaths', values: [...accidentalDeaths] },
      ],
      frequency: 'monthly',
      horizon: 3,
    })
    const alone = ask({ name: 'deaths', values: [...accidentalDeaths], frequency: 'monthly', horizon: 3 })
    assert.deepEqual(both.series[1], alone.series[0])
    assert.deepEqual(
      both.answer.artifacts?.map(({ name }) => name),
      ['forecast.csv', 'forecast-1.svg', 'forecast-2.svg'],
    )
  })

  it('of large numbers is exact to the unit', () => {
    const values = Array.from({ length: 30 }, (_, i) => 1e11 + 7 * i)
    assert.deepEqual(
      ask({ values, horizon: 3 }).series[0]?.forecast.map(({ point }) => point),
      [100000000210, 100000000217, 100000000224],
    )
  })

  it('learns from the latest of very many values, and says so', () => {
    const values = Array.from(
      { length: 100_000 },
      (_, t) => 100 + 10 * Math.sin((2 * Math.PI * t) / 24) + ((t * 7919) % 13),
    )
    const { series, answer } = ask({ values, frequency: 'hourly', horizon: 24 })
    assert.match(answer.warnings?.join() ?? '', /latest \d+ of 100000 values/)
    const first = series[0]?.backtest.forecasts[0]
    assert.equal(first?.actual, values[first?.known ?? 0])
  })

  it('further ahead than the series goes back is refused', () => {
    assert.throws(
      () => ask({ values: Array.from({ length: 10 }, (_, i) => i), horizon: 11 }),
      (error: unknown) => error instanceof Refusal && error.param === 'input.horizon',
    )
    const series = Array.from({ length: 5 }, () => ({ values: Array.from({ length: 1000 }, (_, i) => i) }))
    assert.throws(() => ask({ series, horizon: 1000 }), /more than 4000 points/)
  })

  it('of any numbers is numbers', () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom(1e-300, 1e-12, 1e15),
      fc.double({ noNaN: true, min: -1e-11, max: 1e-11 }),
      fc.constant(null),
    )
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 8, maxLength: 40 }),
        fc.constantFrom(undefined, 1, 4, 12),
        (values, season) => {
          try {
            const { series, measured } = ask({ values, horizon: 3, ...(season && { season_length: season }) })
            assert.ok(
              series[0]?.forecast.every(({ point, intervals }) =>
                [point, ...intervals.flatMap(({ lower, upper }) => [lower, upper])].every(Number.isFinite),
              ),
            )
            assert.equal(measured.find(({ id }) => id === 'no_intervals_out_of_order')?.value, 0)
          } catch (error) {
            if (!(error instanceof Refusal)) throw error
          }
        },
      ),
      // So small that its squares are nothing: some models can't be had of the first of these.
      { numRuns: 40, examples: [[[0, 1e-300, 1e-300, 0, 1e-300, null, 0, null, -1, 0], undefined]] },
    )
  })
})

describe('names that mean harm', () => {
  const values = [...accidentalDeaths.subarray(0, 36)]
  const harmful = [
    '=HYPERLINK("http://x","y")',
    '+1',
    '-1+1',
    '@SUM(A1)',
    "'; DROP TABLE series; --",
    '"><script>alert(1)</script>',
    '<image href="http://x/"/>',
    '{{7*7}}',
    'zr3-c0 class="zr1-cls-0"',
  ]

  for (const name of harmful)
    it(`are text in table and chart: ${name}`, () => {
      const { series, text } = ask({ name, values, frequency: 'monthly', horizon: 2 })
      assert.equal(series[0]?.name, name)
      const cell = text('forecast.csv').split('\r\n')[1] ?? ''
      assert.doesNotMatch(cell, /^"?[=+\-@]/)
      const svg = text('forecast.svg')
      // Every tag is one that the chart draws with, and none of their attributes is a handler or leads out.
      const tags = new Set([...svg.matchAll(/<(\w+)/g)].map(([, tag]) => tag))
      assert.deepEqual(
        [...tags].filter(tag => !['svg', 'rect', 'path', 'text', 'g', 'defs', 'clipPath'].includes(tag ?? '')),
        [],
      )
      for (const [tag] of svg.matchAll(/<[^>]*>/g))
        assert.doesNotMatch(tag.replaceAll(/"[^"]*"/g, ''), /\s(on\w+|(xlink:)?href)=/i)
      assert.equal(svg.replace(/<[^>]*>/g, '').includes('<'), false)
    })

  it('in the header of a table are no formulas in the answer', () => {
    const csv = `month,=1+1\n${values.map((value, i) => `${months(36)[i]},${value}`).join('\n')}`
    const { text } = ask({ csv, horizon: 2 })
    assert.match(
      text('forecast.csv'),
      /^series,step,time,point,lower_80,upper_80,lower_95,upper_95\r\n'=1\+1,1,1952-01,/,
    )
  })

  it('and cells that are made to take for ever end at once', () => {
    const cells = [
      '1'.repeat(1e6),
      `${'1,'.repeat(1e6)}x`,
      `${' '.repeat(1e6)}1`,
      `"${'"x'.repeat(1e6)}${' '.repeat(1e6)},`,
      '"'.repeat(1e6),
      '-'.repeat(1e6),
    ]
    for (const cell of cells)
      assert.throws(() => ask({ csv: `date,value\n2026-01-01,1\n${cell},${cell}`, horizon: 2 }), Refusal)
  })
})

describe('the normal distribution', () => {
  it('has its quantiles', () => {
    for (const [p, z] of [
      [0.5, 0],
      [0.6, 0.2533471],
      [0.9, 1.2815516],
      [0.975, 1.959964],
      [0.9995, 3.2905267],
      [0.025, -1.959964],
    ] as const)
      assert.ok(Math.abs(normalQuantile(p) - z) < 1e-6, `${p}`)
  })
})
