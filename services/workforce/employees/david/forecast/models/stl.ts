/**
 * Trend and season by local regression: Cleveland, Cleveland, McRae and Terpenning, "STL: a seasonal-trend decomposition
 * procedure based on loess" (1990), its inner loop. For several seasons one after the other, as Bandara, Hyndman and Bergmeir
 * do in "MSTL" (2021).
 */
export interface Decomposed {
  readonly trend: Float64Array
  /** Of each season, as long as the values. */
  readonly seasons: readonly Float64Array[]
  readonly remainder: Float64Array
}

/** Over how many cycles the values of one phase are smoothed: the first of the windows that R's `mstl` takes. */
const WINDOW = 11

export function mstl(values: Float64Array, periods: readonly number[]): Decomposed {
  let flat: Float64Array = Float64Array.from(values)
  const seasons = periods.map(() => new Float64Array(values.length))
  let trend: Float64Array = new Float64Array(values.length)
  for (let round = 0; round < (periods.length > 1 ? 2 : 1); round++)
    periods.forEach((period, i) => {
      flat = flat.map((value, t) => value + seasons[i]![t]!)
      const found = stl(flat, period)
      seasons[i] = Float64Array.from(found.season)
      trend = found.trend
      flat = flat.map((value, t) => value - found.season[t]!)
    })
  return { trend, seasons, remainder: flat.map((value, t) => value - trend[t]!) }
}

function stl(values: Float64Array, period: number): { season: Float64Array; trend: Float64Array } {
  const n = values.length
  const lowPass = odd(period)
  const trendWindow = odd((1.5 * period) / (1 - 1.5 / WINDOW))
  let trend: Float64Array = new Float64Array(n)
  let season: Float64Array = new Float64Array(n)
  for (let round = 0; round < 2; round++) {
    /** One season longer at each end than the values. */
    const cycle = new Float64Array(n + 2 * period)
    for (let phase = 0; phase < period; phase++) {
      const own = new Float64Array(Math.ceil((n - phase) / period))
      for (let i = 0; i < own.length; i++) own[i] = values[phase + i * period]! - trend[phase + i * period]!
      for (let i = -1; i <= own.length; i++) cycle[phase + (i + 1) * period] = loess(own, WINDOW, i)
    }
    const low = smoothed(means(means(means(cycle, period), period), 3), lowPass)
    season = cycle.slice(period, period + n).map((value, t) => value - low[t]!)
    trend = smoothed(
      values.map((value, t) => value - season[t]!),
      trendWindow,
    )
  }
  return { season, trend }
}

/** Running means over so many values: as many fewer as one less. */
function means(values: Float64Array, width: number): Float64Array {
  const found = new Float64Array(values.length - width + 1)
  let sum = 0
  for (let t = 0; t < values.length; t++) {
    sum += values[t]! - (t >= width ? values[t - width]! : 0)
    if (t >= width - 1) found[t - width + 1] = sum / width
  }
  return found
}

/** Loess at every value; of many at every tenth of the window alone, with straight lines between (the paper's section 3.6). */
function smoothed(values: Float64Array, window: number): Float64Array {
  const n = values.length
  const jump = Math.max(1, Math.ceil(window / 10))
  const found = new Float64Array(n)
  for (let t = 0; t < n; t += jump) found[t] = loess(values, window, t)
  const last = Math.floor((n - 1) / jump) * jump
  if (last < n - 1) found[n - 1] = loess(values, window, n - 1)
  for (let from = 0; from < n - 1; from += jump) {
    const to = Math.min(from + jump, n - 1)
    for (let t = from + 1; t < to; t++)
      found[t] = found[from]! + ((found[to]! - found[from]!) * (t - from)) / (to - from)
  }
  return found
}

/** Local linear regression at one place, which may lie beside the values, over the `window` nearest ones: section 2 of the paper. */
function loess(values: Float64Array, window: number, at: number): number {
  const n = values.length
  const width = Math.min(window, n)
  const first = Math.max(0, Math.min(Math.round(at - (width - 1) / 2), n - width))
  const last = first + width - 1
  let reach = Math.max(at - first, last - at)
  if (window > n) reach += (window - n) / 2
  let weights = 0
  let centre = 0
  let mean = 0
  for (let t = first; t <= last; t++) {
    const weight = tricube(Math.abs(t - at) / reach)
    weights += weight
    centre += weight * t
    mean += weight * values[t]!
  }
  if (weights <= 0) return values[Math.max(first, Math.min(at, last))]!
  centre /= weights
  mean /= weights
  let cross = 0
  let spread = 0
  for (let t = first; t <= last; t++) {
    const weight = tricube(Math.abs(t - at) / reach)
    cross += weight * (t - centre) * values[t]!
    spread += weight * (t - centre) ** 2
  }
  return Math.sqrt(spread / weights) > 0.001 * (n - 1) ? mean + (cross / spread) * (at - centre) : mean
}

function tricube(distance: number): number {
  if (distance > 0.999) return 0
  return distance < 0.001 ? 1 : (1 - distance ** 3) ** 3
}

/** The least odd number that is not below. */
const odd = (x: number) => 2 * Math.ceil((Math.ceil(x) - 1) / 2) + 1
