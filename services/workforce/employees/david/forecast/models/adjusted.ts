/**
 * A model without season of what is left when STL has taken the seasons out; those of the last cycle are put back on. Hyndman
 * and Athanasopoulos, "Forecasting: principles and practice" (3rd ed.), section 5.7. For long seasons, and several at once.
 */
import type { Fitted } from './model.ts'
import { mstl } from './stl.ts'

export function adjusted(
  values: Float64Array,
  periods: readonly number[],
  fit: (flat: Float64Array) => Fitted | undefined,
): Fitted | undefined {
  if (periods.length === 0) return undefined
  const { flat, season } = split(values, periods)
  const fitted = fit(flat)
  return fitted && seasoned(fitted, season, periods)
}

function seasoned(fitted: Fitted, season: (step: number) => number, periods: readonly number[]): Fitted {
  return {
    form: `STL[${periods.join(',')}] + ${fitted.form}`,
    parameters: fitted.parameters,
    outlook: horizon => {
      const outlook = fitted.outlook(horizon)
      return { quantile: z => outlook.quantile(z).map((value, h) => value + season(h)) }
    },
    again: other => {
      const parts = split(other, periods)
      const again = fitted.again(parts.flat)
      return again && seasoned(again, parts.season, periods)
    },
  }
}

/** The values without their seasons, and what those add `step` steps after the last value. */
function split(values: Float64Array, all: readonly number[]): { flat: Float64Array; season: (step: number) => number } {
  const n = values.length
  const periods = all.filter(period => n > 2 * period)
  const { seasons } = mstl(values, periods)
  return {
    flat: values.map((value, t) => seasons.reduce((left, season) => left - season[t]!, value)),
    season: step => seasons.reduce((sum, season, i) => sum + season[n - periods[i]! + (step % periods[i]!)]!, 0),
  }
}
