/**
 * The least value of a function without its derivatives: Nelder and Mead (1965), with the coefficients that depend on the
 * dimension of Gao and Han, "Implementing the Nelder-Mead simplex algorithm with adaptive parameters" (2012), which keep it
 * moving with the dozen parameters of a seasonal model.
 */
export interface Least {
  readonly at: Float64Array
  readonly value: number
}

export interface Search {
  /** How far the first simplex reaches along each axis. */
  readonly steps: ArrayLike<number>
  /** How often the function may be asked. */
  readonly evaluations: number
  /** It ends when the values at the corners differ by less, relative to the least of them. */
  readonly tolerance?: number
}

/** The function may say `Infinity` or `NaN` where it has no value. */
export function nelderMead(
  f: (at: Float64Array) => number,
  start: ArrayLike<number>,
  { steps, evaluations, tolerance = 1e-8 }: Search,
): Least {
  const n = start.length
  const value = (at: Float64Array) => {
    const found = f(at)
    return Number.isNaN(found) ? Number.POSITIVE_INFINITY : found
  }
  const corners = Array.from({ length: n + 1 }, (_, i) => {
    const at = Float64Array.from(start)
    if (i > 0) at[i - 1] = at[i - 1]! + steps[i - 1]!
    return { at, value: value(at) }
  })
  const expand = 1 + 2 / Math.max(n, 2)
  const contract = 0.75 - 0.5 / Math.max(n, 2)
  const shrink = 1 - 1 / Math.max(n, 2)
  const centre = new Float64Array(n)
  const along = (from: Float64Array, by: number) => {
    const at = new Float64Array(n)
    for (let j = 0; j < n; j++) at[j] = centre[j]! + by * (from[j]! - centre[j]!)
    return { at, value: value(at) }
  }

  corners.sort(byValue)
  for (let asked = n + 1; asked < evaluations; ) {
    const best = corners[0]!
    const worst = corners[n]!
    if (worst.value - best.value <= tolerance * (Math.abs(best.value) + tolerance)) break
    centre.fill(0)
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) centre[j] = centre[j]! + corners[i]!.at[j]! / n

    const reflected = along(worst.at, -1)
    asked++
    if (reflected.value < best.value) {
      const expanded = along(worst.at, -expand)
      asked++
      corners[n] = expanded.value < reflected.value ? expanded : reflected
    } else if (reflected.value < corners[n - 1]!.value) {
      corners[n] = reflected
    } else {
      const contracted = along(worst.at, reflected.value < worst.value ? -contract : contract)
      asked++
      if (contracted.value < Math.min(reflected.value, worst.value)) {
        corners[n] = contracted
      } else {
        centre.set(best.at)
        for (let i = 1; i <= n; i++) corners[i] = along(corners[i]!.at, shrink)
        asked += n
        corners.sort(byValue)
      }
    }
    // All but the last are in order.
    for (let i = n; i > 0 && corners[i]!.value < corners[i - 1]!.value; i--)
      [corners[i - 1], corners[i]] = [corners[i]!, corners[i - 1]!]
  }
  return corners.reduce((least, corner) => (corner.value < least.value ? corner : least))
}

const byValue = (a: Least, b: Least) => a.value - b.value
