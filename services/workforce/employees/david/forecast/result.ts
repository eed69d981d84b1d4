/** The result of a forecast, as `output.schema.json` has it. */
import { EXACT, mase, naiveScale, smape } from './accuracy.ts'
import { rangeOf, verdictOn } from './coverage.ts'
import type { Interval, SeriesForecast, TrialSaid } from './forecast-series.ts'
import type { Series } from './reading/series.ts'

export interface ForecastResult {
  readonly series: readonly SeriesResult[]
}

export interface SeriesResult {
  readonly name: string
  readonly frequency: string | null
  readonly season_lengths: readonly number[]
  readonly observations: {
    readonly count: number
    readonly filled: number
    readonly from: string | null
    readonly to: string | null
  }
  readonly forecast: readonly Point[]
  readonly model: { readonly name: string; readonly why: string; readonly widening: number }
  readonly candidates: readonly CandidateResult[]
  readonly backtest: BacktestResult
  readonly warnings: readonly string[]
}

interface Bounds {
  readonly level: number
  readonly lower: number
  readonly upper: number
}

export interface Point {
  readonly step: number
  readonly time: string | null
  readonly point: number
  readonly intervals: readonly Bounds[]
}

interface CandidateResult {
  readonly id: string
  readonly name: string
  readonly form: string
  readonly weight: number
  readonly mae: number
  readonly mase: number | null
  readonly parameters: Readonly<Record<string, number>>
}

interface BacktestResult {
  readonly origins: number
  readonly mase: number | null
  readonly naive_mase: number | null
  readonly smape: number
  readonly scale: number
  readonly coverage: readonly { readonly level: number; readonly share: number }[]
  readonly forecasts: readonly BacktestPoint[]
}

export interface BacktestPoint extends Point {
  /** How many values were known. */
  readonly known: number
  readonly actual: number
  readonly naive: number
}

export function resultOf(
  series: Series,
  forecast: SeriesForecast,
  horizon: number,
  mayBeNegative: boolean,
): SeriesResult {
  const scale = naiveScale(series.values, series.periods[0] ?? 1)
  const forecasts = forecast.trials.flatMap(trial => backtestPoints(series, trial))
  const against = (said: (point: BacktestPoint) => number) =>
    forecasts.map(point => [point.actual, said(point)] as const)
  const own = mase(
    against(({ point }) => point),
    scale,
  )
  const naive = mase(
    against(({ naive }) => naive),
    scale,
  )
  const [coverage, values] = [coverageOf(forecasts), heldBack(forecasts)]
  const longest = Math.max(0, ...forecasts.map(({ step }) => step))
  const { length } = series.values
  const below = series.values.filter(value => value < 0).length
  const heard = forecast.models.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight)
  const points = Array.from(forecast.points, (_, h) => pointOf(series, forecast, length, h))
  return {
    name: series.name,
    frequency: series.frequency ?? null,
    season_lengths: series.periods,
    observations: {
      count: length,
      filled: series.filled,
      from: series.timeOf(0) ?? null,
      to: series.timeOf(length - 1) ?? null,
    },
    forecast: points,
    model: {
      name: heard.length > 1 ? `Weighted mean of ${heard.map(({ form }) => form).join('; ')}` : (heard[0]?.form ?? ''),
      why: whyOf(
        forecast,
        heard.map(({ name, weight }) => `${name} ${Math.round(weight * 100)} %`),
      ),
      widening: digits(forecast.widening),
    },
    candidates: forecast.models
      .toSorted((a, b) => a.error - b.error)
      .map(({ id, name, form, weight, error, parameters }) => ({
        id,
        name,
        form,
        weight: digits(weight),
        mae: digits(error),
        mase: scale > 0 ? digits(error / scale) : error === 0 ? 0 : null,
        parameters: Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, digits(value)])),
      })),
    backtest: {
      origins: forecast.trials.length,
      mase: own === undefined ? null : digits(own),
      naive_mase: naive === undefined ? null : digits(naive),
      smape: digits(smape(against(({ point }) => point))),
      scale: digits(scale),
      coverage,
      forecasts,
    },
    warnings: [
      ...series.warnings,
      ...(!mayBeNegative && below > 0
        ? [
            `\`non_negative\` is set, and ${below} of ${length} values are negative: the forecast can't follow them. Leave it out, or look at the values.`,
          ]
        : []),
      ...(forecast.learned < length
        ? [`The models learned from the latest ${forecast.learned} of ${length} values.`]
        : []),
      ...(scale === 0 ? [sameSaid(series)] : []),
      ...(longest < horizon
        ? [`The back-test reaches ${longest} steps ahead; what is said of later ones is not tested.`]
        : []),
      ...(own !== undefined && naive !== undefined && own > naive
        ? ['In the back-test the seasonal naive method was no worse: take the points for a rough guide.']
        : []),
      ...coverage
        .filter(({ level, share }) => verdictOn(level, share, values) === 'broken')
        .filter(({ level, share }) => 100 * share < rangeOf(level).least || own === undefined || own >= EXACT)
        .map(
          ({ level, share }) =>
            `In the back-test ${Math.round(100 * share)} % of the values lay in the ${level} % interval: take it for ${100 * share < rangeOf(level).least ? 'too narrow' : 'wider than need be'}.`,
        ),
      ...(mayBeNegative &&
      series.values.every(value => value >= 0) &&
      points.some(({ intervals }) => intervals.some(({ lower }) => lower < 0))
        ? ['Intervals reach below zero though no value does; set `non_negative` where there is no such thing.']
        : []),
    ],
  }
}

const sameSaid = ({ values }: Series) =>
  `${values.every(value => value === values[0]) ? 'All values are' : 'All seasons are'} the same: so is the forecast, and its intervals say nothing.`

/** The share of the back-test's values that lie in their intervals, for each level. */
export function coverageOf(forecasts: readonly BacktestPoint[]): BacktestResult['coverage'] {
  return (forecasts[0]?.intervals ?? []).map(({ level }, i) => {
    const inside = forecasts.filter(({ actual, intervals }) => {
      const bounds = intervals[i]
      return bounds !== undefined && actual >= bounds.lower && actual <= bounds.upper
    })
    return { level, share: digits(inside.length / forecasts.length) }
  })
}

/** How many values were held back, each counted once: the ends overlap. */
export const heldBack = (forecasts: readonly BacktestPoint[]): number =>
  new Set(forecasts.map(({ known, step }) => known + step)).size

function whyOf({ trials }: SeriesForecast, heard: readonly string[]): string {
  const times = trials.length === 1 ? 'Once' : `${trials.length} times`
  const held = `${times} the end of the series was held back and forecast from what came before.`
  return heard.length > 1
    ? `${held} Each model weighs by how small its errors were (to the power of -4); those far behind the best have no say: ${heard.join(', ')}.`
    : `${held} This model was so much better than the others that they have no say.`
}

const backtestPoints = (series: Series, trial: TrialSaid): readonly BacktestPoint[] =>
  Array.from(trial.actual, (actual, h) => ({
    known: trial.origin,
    ...pointOf(series, trial, trial.origin, h),
    actual,
    naive: digits(trial.naive[h] ?? Number.NaN),
  }))

function pointOf(
  series: Series,
  { points, intervals }: { readonly points: Float64Array; readonly intervals: readonly Interval[] },
  known: number,
  h: number,
): Point {
  return {
    step: h + 1,
    time: series.timeOf(known + h) ?? null,
    point: digits(points[h] ?? Number.NaN),
    intervals: intervals.map(({ level, lower, upper }) => ({
      level,
      lower: digits(lower[h] ?? Number.NaN),
      upper: digits(upper[h] ?? Number.NaN),
    })),
  }
}

/**
 * More digits than any forecast has, and few enough that the same numbers are written everywhere: ten, or to the unit where
 * that is more.
 */
const digits = (value: number) => Number(value.toPrecision(Math.max(10, Math.trunc(Math.abs(value)).toFixed().length)))
