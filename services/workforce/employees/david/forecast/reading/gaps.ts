/** What stands in the place of missing values. */
import { seasonalIndices } from '../models/decompose.ts'

export type Filling = 'interpolate' | 'zero'

/** The share of the values that may be missing: with more, the pattern would be ours. */
export const MOST_MISSING = 0.3

/**
 * The values with those that are no number filled: on a straight line between their neighbours, with the season taken out
 * beforehand where there is one and put back on afterwards. The first and the last are numbers.
 */
export function filled(values: Float64Array, period: number, filling: Filling): Float64Array {
  if (!values.some(Number.isNaN)) return values
  if (filling === 'zero') return values.map(value => (Number.isNaN(value) ? 0 : value))
  const straight = interpolated(values)
  const season = seasonalIndices(straight, period, 'A')
  if (season === undefined) return straight
  const at = (t: number) => season[t % period] ?? 0
  return interpolated(values.map((value, t) => value - at(t))).map((value, t) => {
    const known = values[t] ?? Number.NaN
    return Number.isNaN(known) ? value + at(t) : known
  })
}

function interpolated(values: Float64Array): Float64Array {
  const found = Float64Array.from(values)
  let known = 0
  for (let t = 1; t < found.length; t++) {
    const to = found[t] ?? Number.NaN
    if (Number.isNaN(to)) continue
    const from = found[known] ?? to
    for (let between = known + 1; between < t; between++)
      found[between] = from + ((to - from) * (between - known)) / (t - known)
    known = t
  }
  return found
}
