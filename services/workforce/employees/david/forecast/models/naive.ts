/**
 * The forecast to beat: the last season again; with a season of 1 the last value. Hyndman and Athanasopoulos, "Forecasting:
 * principles and practice" (3rd ed.), sections 5.2 and 5.5.
 */
import { type Fitted, normal } from './model.ts'

export function fitSeasonalNaive(values: Float64Array, season: number): Fitted {
  const n = values.length
  const m = n > season ? season : 1
  let squares = 0
  for (let t = m; t < n; t++) squares += (values[t]! - values[t - m]!) ** 2
  const deviation = n > m ? Math.sqrt(squares / (n - m)) : 0
  return {
    form: m > 1 ? `Seasonal naive [${m}]` : 'Naive',
    parameters: {},
    outlook: horizon => {
      const steps = Float64Array.from({ length: horizon }, (_, h) => h)
      return normal(
        steps.map(h => values[n - m + (h % m)]!),
        steps.map(h => deviation * Math.sqrt(Math.floor(h / m) + 1)),
      )
    },
    again: other => fitSeasonalNaive(other, season),
  }
}
