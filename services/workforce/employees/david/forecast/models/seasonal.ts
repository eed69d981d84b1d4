/** Whether values repeat after so many steps. */

/** Autocorrelations at the lags 0 to `most`. */
export function autocorrelations(values: ArrayLike<number>, most: number): Float64Array {
  const n = values.length
  let mean = 0
  for (let t = 0; t < n; t++) mean += values[t]! / n
  const found = new Float64Array(most + 1)
  for (let lag = 0; lag <= most; lag++) {
    let sum = 0
    for (let t = lag; t < n; t++) sum += (values[t]! - mean) * (values[t - lag]! - mean)
    found[lag] = sum
  }
  const variance = found[0]!
  return variance > 0 ? found.map(one => one / variance) : found
}

/**
 * The test of the Theta method, Assimakopoulos and Nikolopoulos (2000), section 3.1: the autocorrelation at the lag of the
 * season lies outside 90 % of what noise would show, given those at the lags before (Bartlett).
 */
export function isSeasonal(values: Float64Array, season: number): boolean {
  if (season < 2 || values.length < 2 * season + 1) return false
  const r = autocorrelations(values, season)
  let before = 0
  for (let lag = 1; lag < season; lag++) before += r[lag]! ** 2
  return Math.abs(r[season]!) > 1.645 * Math.sqrt((1 + 2 * before) / values.length)
}
