/**
 * Classical decomposition: the season as what is left, on average, of the values once a centred moving average over one season
 * is taken away (or divided out). Hyndman and Athanasopoulos, "Forecasting: principles and practice" (3rd ed.), section 3.4.
 * Undefined with less than two whole seasons.
 */
export function seasonalIndices(values: Float64Array, season: number, kind: 'A' | 'M'): Float64Array | undefined {
  if (season < 2 || values.length < 2 * season) return undefined
  const trend = movingAverage(values, season)
  const sums = new Float64Array(season)
  const counts = new Float64Array(season)
  for (let t = 0; t < values.length; t++) {
    const level = trend[t]!
    if (Number.isNaN(level) || (kind === 'M' && !(level > 0))) continue
    sums[t % season] = sums[t % season]! + (kind === 'M' ? values[t]! / level : values[t]! - level)
    counts[t % season] = counts[t % season]! + 1
  }
  if (counts.some(count => count === 0)) return undefined
  const means = sums.map((sum, i) => sum / counts[i]!)
  const mean = means.reduce((sum, one) => sum + one, 0) / season
  if (kind === 'M' && !(mean > 0)) return undefined
  return means.map(one => (kind === 'M' ? one / mean : one - mean))
}

/** Over one season, centred: 2 x m where m is even. Not a number at both ends. */
function movingAverage(values: Float64Array, season: number): Float64Array {
  const average = new Float64Array(values.length).fill(Number.NaN)
  const half = Math.floor(season / 2)
  for (let t = half; t + half < values.length; t++) {
    let sum = 0
    for (let i = -half; i <= half; i++) sum += values[t + i]! * (season % 2 === 0 && Math.abs(i) === half ? 0.5 : 1)
    average[t] = sum / season
  }
  return average
}

/** The values without their season; `indices` begin with that of the first value. */
export const withoutSeason = (values: Float64Array, indices: Float64Array, kind: 'A' | 'M'): Float64Array =>
  values.map((value, t) => (kind === 'M' ? value / indices[t % indices.length]! : value - indices[t % indices.length]!))
