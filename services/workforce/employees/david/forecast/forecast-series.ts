/** The forecast of one series. */
import { backTest, combine, meanAbsoluteError } from './combination.ts'
import { normalQuantile } from './normal-quantile.ts'
import type { Series } from './reading/series.ts'
import { type Tried, tryCandidates } from './rolling-origin.ts'

export interface SeriesForecast {
  readonly points: Float64Array
  /** In the order of the levels asked for. */
  readonly intervals: readonly Interval[]
  readonly models: readonly ModelSaid[]
  readonly widening: number
  /** What was held back and forecast, the latest origin first. */
  readonly trials: readonly TrialSaid[]
  /** How many of the latest values the models learned from. */
  readonly learned: number
}

export interface Interval {
  /** Per cent. */
  readonly level: number
  readonly lower: Float64Array
  readonly upper: Float64Array
}

export interface ModelSaid {
  readonly id: string
  readonly name: string
  readonly form: string
  readonly parameters: Readonly<Record<string, number>>
  /** Its share of the forecast. */
  readonly weight: number
  /** Mean absolute error over the trials. */
  readonly error: number
}

export interface TrialSaid {
  /** How many values of the series were known. */
  readonly origin: number
  readonly actual: Float64Array
  readonly points: Float64Array
  readonly intervals: readonly Interval[]
  /** What the seasonal naive method said. */
  readonly naive: Float64Array
}

export interface Wanted {
  readonly horizon: number
  readonly levels: readonly number[]
  readonly nonNegative: boolean
}

/** What models learn from: the latest values, with four of the longest seasons and what is held back. Older ones would cost seconds and say little. */
const LEARNED = { least: 750, seasons: 4, most: 1_500 } as const

export function forecastSeries(
  { values: all, periods: every }: Series,
  { horizon, levels, nonNegative }: Wanted,
): SeriesForecast {
  const { least, seasons, most } = LEARNED
  const latest = all.slice(-Math.min(most, Math.max(least, seasons * (every.at(-1) ?? 1) + 4 * horizon)))
  const skipped = all.length - latest.length
  const periods = every.filter(period => latest.length > 2 * period)
  const { scale, offset } = unitOf(latest)
  const tried = tryCandidates(
    latest.map(value => (value - offset) / scale),
    periods,
    horizon,
  )
  const combination = combine(tried)
  const inUnits = (values: Float64Array) =>
    values.map(value => (nonNegative ? Math.max(0, value * scale + offset) : value * scale + offset))
  const said = (outlook: { quantile(z: number): Float64Array }) => ({
    points: inUnits(outlook.quantile(0)),
    intervals: levels.map(level => {
      const z = normalQuantile(0.5 + level / 200)
      return { level, lower: inUnits(outlook.quantile(-z)), upper: inUnits(outlook.quantile(z)) }
    }),
  })
  const naive = tried.find(({ candidate }) => candidate.id === 'seasonal_naive')
  return {
    ...said(combination.outlook(horizon)),
    models: tried.map((one, i) => modelSaid(one, combination.weights[i] ?? 0, scale)),
    widening: combination.widening,
    trials: backTest(tried).map(({ origin, actual, outlook }, place) => ({
      origin: origin + skipped,
      actual: all.slice(origin + skipped, origin + skipped + actual.length),
      // Not kept from falling below zero: it says what came, and only that is a measure.
      naive: (naive?.trials[place]?.outlook.quantile(0) ?? new Float64Array()).map(value => value * scale + offset),
      ...said(outlook),
    })),
    learned: latest.length,
  }
}

/**
 * Models see values of about 1, whatever the unit. Where all lie within a millionth of their level, they see them without most of
 * it: what changes would be smaller than what they take for exact.
 */
function unitOf(values: Float64Array): { readonly scale: number; readonly offset: number } {
  const level = values.reduce((sum, value) => sum + Math.abs(value), 0) / values.length || 1
  const [least, most] = values.reduce(
    ([a, b], value) => [Math.min(a, value), Math.max(b, value)],
    [Infinity, -Infinity],
  )
  const spread = most - least
  if (spread === 0 || spread > 1e-6 * level) return { scale: level, offset: 0 }
  return { scale: 10 * spread, offset: Math.round(least - 10 * spread) }
}

const modelSaid = ({ candidate, fitted, trials }: Tried, weight: number, scale: number): ModelSaid => ({
  id: candidate.id,
  name: candidate.name,
  form: fitted.form,
  parameters: fitted.parameters,
  weight,
  error: meanAbsoluteError(trials) * scale,
})
