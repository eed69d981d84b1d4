/**
 * Probabilities for many tests at once (Holm 1979): with those that come out, the chance that even one finding is made where there is
 * nothing to find is at most the level, however the tests hang together.
 */
export function holm(probabilities: readonly number[]): number[] {
  const order = probabilities.map((p, i) => ({ p, i })).toSorted((a, b) => a.p - b.p)
  const adjusted = new Array<number>(probabilities.length).fill(1)
  let least = 0
  order.forEach(({ p, i }, rank) => {
    least = Math.max(least, Math.min(1, p * (probabilities.length - rank)))
    adjusted[i] = least
  })
  return adjusted
}
