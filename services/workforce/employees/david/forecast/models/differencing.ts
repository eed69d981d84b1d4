/** How often values are differenced before an ARIMA model: as Hyndman and Khandakar (2008) do it, with later seasonal rules. */
import { differences } from './arima.ts'
import { mstl } from './stl.ts'

export function differencing(values: Float64Array, season: number): { readonly d: number; readonly D: number } {
  const D = season > 1 && seasonalStrength(values, season) > 0.64 ? 1 : 0
  let d = 0
  for (; d < (D === 1 ? 1 : 2); d++) {
    const found = differences(values, { d, D }, season)
    if (found.length < 10 || kpss(found) <= 0.463) break
  }
  return { d, D }
}

/**
 * From 0, no season, to 1: how much of what is not trend is season. Wang, Smith and Hyndman (2006); seasonal differences are
 * taken above 0.64, which served best on the series of the M3 competition (Hyndman, `nsdiffs` of R's forecast).
 */
export function seasonalStrength(values: Float64Array, season: number): number {
  if (season < 2 || values.length < 2 * season + 1) return 0
  const { seasons, remainder } = mstl(values, [season])
  const both = variance(remainder.map((value, t) => value + seasons[0]![t]!))
  return both > 0 ? Math.max(0, 1 - variance(remainder) / both) : 0
}

/**
 * The statistic of Kwiatkowski, Phillips, Schmidt and Shin (1992) for a level that stays: above 0.463 it does not, at 5 %.
 * Lags as in R's `ndiffs`.
 */
function kpss(values: Float64Array): number {
  const n = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const lags = Math.trunc((3 * Math.sqrt(n)) / 13)
  let partial = 0
  let squares = 0
  for (const value of values) {
    partial += value - mean
    squares += partial * partial
  }
  let longRun = 0
  for (let lag = 0; lag <= lags; lag++) {
    let sum = 0
    for (let t = lag; t < n; t++) sum += (values[t]! - mean) * (values[t - lag]! - mean)
    longRun += (lag === 0 ? 1 : 2 * (1 - lag / (lags + 1))) * sum
  }
  return longRun > 0 ? squares / n / longRun : 0
}

function variance(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
}
