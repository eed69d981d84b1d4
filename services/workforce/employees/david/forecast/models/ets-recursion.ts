/**
 * The recursions of exponential smoothing in their state space form: Hyndman, Koehler, Ord and Snyder, "Forecasting with
 * Exponential Smoothing" (2008), table 2.1. The smoothing of level, trend and season is the same for additive and
 * multiplicative errors; those differ in what an error is.
 */
export interface EtsForm {
  /** Additive or multiplicative. */
  readonly error: 'A' | 'M'
  /** None, additive, or additive and damped. */
  readonly trend: 'N' | 'A' | 'Ad'
  readonly season: 'N' | 'A' | 'M'
}

export interface Smoothing {
  readonly alpha: number
  readonly beta: number
  readonly gamma: number
  readonly phi: number
}

/** Level, slope, and the season's values with that of the next step first. */
export interface EtsState {
  level: number
  slope: number
  readonly season: Float64Array
  /** Which of the season's values is that of the next step. */
  next: number
}

export interface EtsErrors {
  /** The sum of the squared errors, relative ones where they are multiplicative. */
  readonly squares: number
  /** The sum of the logarithms of what was expected, where errors are multiplicative. */
  readonly logs: number
}

/** Runs over the values, leaves the state as it is after them; `squares` is infinite where a multiplicative form breaks down. */
export function smooth(
  { error, trend, season }: EtsForm,
  { alpha, beta, gamma, phi }: Smoothing,
  state: EtsState,
  values: Float64Array,
): EtsErrors {
  const multiplicative = error === 'M'
  const seasonal = season !== 'N'
  const scaled = season === 'M'
  const slopeGain = trend === 'N' ? 0 : beta / alpha
  const damping = trend === 'N' ? 0 : trend === 'A' ? 1 : phi
  const seasons = state.season
  const m = seasons.length
  let { level, slope, next } = state
  let squares = 0
  let logs = 0
  for (let t = 0; t < values.length; t++) {
    const y = values[t]!
    const drift = damping * slope
    const trended = level + drift
    const s = seasonal ? seasons[next]! : 0
    const expected = scaled ? trended * s : trended + s
    if (multiplicative) {
      if (!(expected > 0)) return { squares: Number.POSITIVE_INFINITY, logs: 0 }
      const e = y / expected - 1
      squares += e * e
      logs += Math.log(expected)
    } else {
      const e = y - expected
      squares += e * e
    }
    const seen = scaled ? (s > 1e-10 ? y / s : Number.POSITIVE_INFINITY) : y - s
    const moved = trended + alpha * (seen - trended)
    slope = drift + slopeGain * (moved - level - drift)
    if (seasonal) {
      const own = scaled ? (Math.abs(trended) > 1e-10 ? y / trended : Number.POSITIVE_INFINITY) : y - trended
      seasons[next] = s + gamma * (own - s)
      next = next + 1 === m ? 0 : next + 1
    }
    level = moved
  }
  state.level = level
  state.slope = slope
  state.next = next
  return { squares, logs }
}
