/** How far the tail of a column reaches. */

/** Standard errors: the power is hardly ever greater than so many above what the inner gaps say. */
const BOUND = 1.96

/**
 * The probabilities of the gaps below the `most` outermost values, the outermost first, were they of one tail with the `m` values
 * further in. In a tail whose excesses follow a generalised Pareto law the gaps between values, outwards and on the scale of that law,
 * are exponential (Rényi 1953; Beirlant et al. 1999). Its power is reckoned from the inner gaps, at its upper bound; the outer gaps are
 * tested. Undefined where the inner gaps say nothing. `outwards` has the outermost value first.
 */
export function gapProbabilities(outwards: Float64Array, m: number, most: number): readonly number[] | undefined {
  const count = m - most
  const rarities = Float64Array.from({ length: count }, (_, i) => Math.log((m + 1) / (most + i + 1)))
  const gaps = rarities.map((_, i) => (most + i + 1) * ((outwards[most + i] ?? 0) - (outwards[most + i + 1] ?? 0)))
  if (count < 8 || gaps.every(gap => gap === 0)) return undefined
  const scaleAt = (power: number) => {
    let sum = 0
    for (let i = 0; i < count; i++) sum += (gaps[i] ?? 0) * Math.exp(-power * (rarities[i] ?? 0))
    return sum / count
  }
  const meanRarity = rarities.reduce((sum, rarity) => sum + rarity, 0) / count
  const variance = rarities.reduce((sum, rarity) => sum + (rarity - meanRarity) ** 2, 0) / count
  const error = 1 / Math.sqrt(count * variance)
  const likelihood = (power: number) => -Math.log(scaleAt(power)) - power * meanRarity
  const power = Math.max(1e-6, highest(likelihood, -3, 3) + BOUND * error)
  const scale = scaleAt(power)
  const onScale = outwards.map(value => Math.log1p((power * (value - (outwards[m] ?? 0))) / scale) / power)
  const gapBelow = (place: number) => place * ((onScale[place - 1] ?? 0) - (onScale[place] ?? 0))
  const meanGap = gaps.reduce((sum, _, i) => sum + gapBelow(most + i + 1), 0) / count
  // The mean is itself reckoned: F with 2 and 2(m - most) degrees of freedom.
  return Array.from({ length: most }, (_, i) => (1 + gapBelow(i + 1) / meanGap / count) ** -count)
}

/** Where a function of one hill is highest, by golden sections. */
function highest(of: (x: number) => number, from: number, to: number): number {
  const ratio = (Math.sqrt(5) - 1) / 2
  let [a, b] = [from, to]
  for (let round = 0; round < 40; round++) {
    const [left, right] = [b - ratio * (b - a), a + ratio * (b - a)]
    if (of(left) > of(right)) b = right
    else a = left
  }
  return (a + b) / 2
}
