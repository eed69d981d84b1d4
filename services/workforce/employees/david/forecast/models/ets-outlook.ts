/**
 * Points and their spread from the last states: Hyndman, Koehler, Ord and Snyder (2008), chapter 6: table 6.1 for additive
 * forms, section 6.3 for multiplicative errors and section 6.4 where the season is multiplicative as well.
 */
import type { EtsForm, EtsState, Smoothing } from './ets-recursion.ts'
import { normal, type Outlook } from './model.ts'

export function etsOutlook(
  { error, trend, season }: EtsForm,
  { alpha, beta, gamma, phi }: Smoothing,
  { level, slope, season: indices, next }: EtsState,
  variance: number,
  horizon: number,
): Outlook {
  const m = Math.max(1, indices.length)
  const points = new Float64Array(horizon)
  const spread = new Float64Array(horizon)
  /** What an error now does to the value `j` steps on. */
  const gains = new Float64Array(horizon + 1)
  /** The points without a multiplicative season. */
  const base = new Float64Array(horizon)
  const theta = new Float64Array(horizon)
  let damped = 0
  for (let h = 1; h <= horizon; h++) {
    damped += trend === 'Ad' ? phi ** h : 1
    const index = season === 'N' ? 0 : indices[(next + h - 1) % m]!
    const trended = level + (trend === 'N' ? 0 : damped * slope)
    base[h - 1] = season === 'A' ? trended + index : trended
    points[h - 1] = season === 'M' ? trended * index : base[h - 1]!
    // The slope that an error now leaves has been damped h times by then, and its first part counts at once.
    const trendGain = trend === 'N' ? 0 : beta * (trend === 'A' ? h : (1 - phi ** h) / (1 - phi))
    gains[h] = alpha + trendGain + (season === 'A' && h % m === 0 ? gamma : 0)

    let carried = 0
    for (let j = 1; j < h; j++) carried += gains[j]! ** 2 * (error === 'A' ? 1 : theta[h - j - 1]!)
    if (error === 'A') {
      spread[h - 1] = Math.sqrt(variance * (1 + carried))
      continue
    }
    const mean = base[h - 1]!
    theta[h - 1] = mean * mean + variance * carried
    const seasonal = season === 'M' ? (1 + gamma * gamma * variance) ** Math.floor((h - 1) / m) : 1
    const unscaled = theta[h - 1]! * (1 + variance) * seasonal - mean * mean
    spread[h - 1] = Math.sqrt(Math.max(0, unscaled)) * (season === 'M' ? Math.abs(index) : 1)
  }
  return normal(points, spread)
}
