/** Measures of error: Hyndman and Koehler, "Another look at measures of forecast accuracy" (2006). */

/** The mean absolute error, in the values' own unit; pairs of what came and what was said. */
const meanAbsolute = (pairs: readonly (readonly [number, number])[]): number =>
  pairs.reduce((sum, [actual, said]) => sum + Math.abs(actual - said), 0) / pairs.length

/** Errors by the naive method's: less is what rounding leaves. */
export const EXACT = 1e-6

/** The symmetric mean absolute percentage error, 0 to 200, as the M4 competition has it. */
export const smape = (pairs: readonly (readonly [number, number])[]): number =>
  pairs.reduce((sum, [actual, said]) => {
    const size = Math.abs(actual) + Math.abs(said)
    return sum + (size === 0 ? 0 : (200 * Math.abs(actual - said)) / size)
  }, 0) / pairs.length

/** What MASE is measured in: the mean absolute change of the values over one season. */
export function naiveScale(values: ArrayLike<number>, period: number): number {
  const m = values.length > period ? period : 1
  let sum = 0
  for (let t = m; t < values.length; t++) sum += Math.abs((values[t] ?? 0) - (values[t - m] ?? 0))
  return sum / Math.max(1, values.length - m)
}

/** So much of a value is lost where numbers are rounded. */
const ROUNDED = 1e-9

/** The mean absolute scaled error: 0 where nothing was wrong, undefined where all seasons are the same but were not hit. */
export const mase = (pairs: readonly (readonly [number, number])[], scale: number): number | undefined => {
  const error = meanAbsolute(pairs)
  const size = pairs.reduce((most, [actual]) => Math.max(most, Math.abs(actual)), 0)
  return scale > 0 ? error / scale : error <= ROUNDED * size ? 0 : undefined
}
