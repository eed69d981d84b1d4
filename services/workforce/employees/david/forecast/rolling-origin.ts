/**
 * How well each model foretells what is known: the end of the series is held back several times over, each time a little more,
 * and forecast from what came before. Tashman, "Out-of-sample tests of forecasting accuracy" (2000).
 */
import { type Candidate, candidates } from './models/candidates.ts'
import type { Fitted, Outlook } from './models/model.ts'

/** A model that could be had, with what it said at each origin, the latest first. */
export interface Tried {
  readonly candidate: Candidate
  readonly fitted: Fitted
  readonly trials: readonly Trial[]
}

export interface Trial {
  /** How many values were known. */
  readonly origin: number
  readonly outlook: Outlook
  readonly actual: Float64Array
}

/** At most so many origins, half a horizon apart. */
const ORIGINS = 8

/**
 * All candidates that can be estimated on the values; the seasonal naive one always can. What is forecast with is chosen on all
 * values. What is tried is chosen at the earliest origin and estimated anew at each: no trial has seen what it is judged on.
 */
export function tryCandidates(values: Float64Array, periods: readonly number[], horizon: number): readonly Tried[] {
  const origins = originsOf(values.length, periods, horizon).map(origin => ({ origin, known: values.slice(0, origin) }))
  const earliest = origins.at(-1)?.known ?? values
  return candidates.flatMap(candidate => {
    const fitted = candidate.fit(values, periods)
    if (fitted === undefined) return []
    const early = candidate.fit(earliest, periods)
    const trials = origins.flatMap(({ origin, known }) => {
      const actual = values.slice(origin, origin + horizon)
      const again = early?.again(known)
      return again === undefined ? [] : [{ origin, actual, outlook: again.outlook(actual.length) }]
    })
    // A model that fails on some of the past has not been tried as the others were.
    if (trials.length < origins.length) return []
    const sound = [...trials.map(({ outlook }) => outlook), fitted.outlook(horizon)].every(isSound)
    return sound ? [{ candidate, fitted, trials }] : []
  })
}

/** At the earliest after two of the seasons and a little; the latest has half a horizon after it. */
function originsOf(n: number, periods: readonly number[], horizon: number): readonly number[] {
  const least = (season: number) => Math.max(2 * season + 5, Math.min(20, Math.floor(n / 2)))
  // All seasons where there is enough of the longest, else the shortest, which fits at least twice.
  const earliest =
    [...periods.toReversed(), 1].map(least).find(known => n - known >= Math.min(horizon, n / 4)) ?? least(1)
  const ahead = Math.min(horizon, Math.max(1, Math.floor((n - earliest) / 2)))
  const step = Math.max(1, Math.floor(ahead / 2))
  return Array.from({ length: ORIGINS }, (_, i) => n - (i + 1) * step).filter(origin => origin >= earliest)
}

const isSound = (outlook: Outlook) => [-2, 0, 2].every(z => outlook.quantile(z).every(Number.isFinite))
