/** What is measured on a forecast: on the numbers it gives, and on the values that it was held back from. */
import type { Answer, Check } from '../../src/answer.ts'
import type { Brief } from '../../src/brief.ts'
import type { RawTable } from '../table/raw-table.ts'
import { EXACT, mase, naiveScale } from './accuracy.ts'
import { rangeOf, verdictOn } from './coverage.ts'
import type { ForecastInput } from './input.ts'
import { readSeries } from './reading/series.ts'
import { fileTable } from './reading/sources.ts'
import { coverageOf, type ForecastResult, heldBack, type Point } from './result.ts'

export async function checks(brief: Brief<ForecastInput>, answer: Answer<ForecastResult>): Promise<readonly Check[]> {
  return checksOf(brief, answer, await fileTable(brief))
}

/** `table` is that of the brief's file. */
export function checksOf(
  brief: Brief<ForecastInput>,
  { result }: Answer<ForecastResult>,
  table?: RawTable,
): readonly Check[] {
  const given = readSeries(brief, table)
  const { horizon, non_negative: nonNegative = false } = brief.input
  const points = result.series.flatMap(({ forecast, backtest }) => [...forecast, ...backtest.forecasts])
  const tests = result.series.map(({ backtest }) => backtest.forecasts)
  const strange = tests.flatMap((forecasts, i) =>
    forecasts.filter(({ actual, known, step }) => !near(actual, given[i]?.values[known + step - 1])),
  )
  const scales = given.map(({ values, periods }) => naiveScale(values, periods[0] ?? 1))
  const meanMase = (said: 'point' | 'naive') =>
    mean(
      tests.map(
        (forecasts, i) =>
          mase(
            forecasts.map(row => [row.actual, row[said]] as const),
            scales[i] ?? 0,
          ) ?? Number.POSITIVE_INFINITY,
      ),
    )
  const [own, naive] = [meanMase('point'), meanMase('naive')]
  const steps = Math.min(...result.series.map(({ forecast }) => forecast.length))
  const disordered = points.filter(point => !isOrdered(point)).length
  return [
    { id: 'steps', pass: steps === horizon && result.series.length === given.length, value: steps, target: horizon },
    { id: 'no_intervals_out_of_order', pass: disordered === 0, value: disordered, target: 0 },
    { id: 'no_invented_backtest_values', pass: strange.length === 0, value: strange.length, target: 0 },
    {
      id: 'backtest_mase',
      pass: own <= naive,
      value: measure(own),
      target: `at most ${measure(naive)}, that of the seasonal naive method`,
    },
    ...coverageChecks(tests, own < EXACT),
    ...(nonNegative ? [negativeCheck(points)] : []),
  ]
}

/**
 * Of all series together; none of intervals of which the values held back are too few to judge. Where each value was foretold
 * exactly, its interval is next to nothing wide: to hold all of them is no fault then.
 */
function coverageChecks(
  tests: readonly ForecastResult['series'][number]['backtest']['forecasts'][],
  isExact: boolean,
): readonly Check[] {
  const values = tests.reduce((sum, forecasts) => sum + heldBack(forecasts), 0)
  return coverageOf(tests.flat()).flatMap(({ level, share }) => {
    const range = { ...rangeOf(level), ...(isExact && { most: 100 }) }
    const verdict = verdictOn(level, share, values, range)
    if (verdict === 'unknown') return []
    return {
      id: `backtest_coverage_${level}`,
      pass: verdict === 'kept',
      value: rounded(share * 100),
      target: `${range.least} to ${range.most} %`,
    }
  })
}

function negativeCheck(points: readonly Point[]): Check {
  const count = points.filter(({ point, intervals }) => point < 0 || intervals.some(({ lower }) => lower < 0)).length
  return { id: 'no_negative_values', pass: count === 0, value: count, target: 0 }
}

/** The point in each interval, and the narrower intervals in the wider ones. */
function isOrdered({ point, intervals }: Point): boolean {
  return intervals.every(({ lower, upper }, i) => {
    const wider = intervals[i + 1]
    return lower <= point && point <= upper && (wider === undefined || (wider.lower <= lower && upper <= wider.upper))
  })
}

const near = (a: number, b: number | undefined) => b !== undefined && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b))
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
/** No error can be scaled where every season is the same. */
const measure = (error: number) => (Number.isFinite(error) ? rounded(error) : 'beyond measure')
const rounded = (value: number) => Number(value.toPrecision(4))
