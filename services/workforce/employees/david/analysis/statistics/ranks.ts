/** Values as their places in order, and how two of them go together. */

/** The values that are known, the smallest first. */
export const sortedOf = (values: Float64Array): Float64Array => values.filter(value => !Number.isNaN(value)).sort()

/** From 1; those that are equal share the mean of their places; not a number where the value is missing. */
export function ranksOf(values: Float64Array, sorted = sortedOf(values)): Float64Array {
  const shared = new Float64Array(sorted.length)
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1
    while (to < sorted.length && sorted[to] === sorted[from]) to++
    shared.fill((from + 1 + to) / 2, from, to)
    from = to
  }
  return values.map(value => (Number.isNaN(value) ? Number.NaN : (shared[placeIn(sorted, value)] ?? 0)))
}

function placeIn(sorted: Float64Array, value: number): number {
  let [from, to] = [0, sorted.length - 1]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? 0) < value) from = middle + 1
    else to = middle
  }
  return from
}

/** Rows whose rank is known, the smallest first: a counting sort, as ranks are halves at the finest. */
export function orderOf(ranks: Float64Array): Uint32Array {
  const next = new Uint32Array(2 * ranks.length + 2)
  for (const rank of ranks) if (!Number.isNaN(rank)) next[2 * rank + 1] = (next[2 * rank + 1] ?? 0) + 1
  for (let at = 1; at < next.length; at++) next[at] = (next[at] ?? 0) + (next[at - 1] ?? 0)
  const order = new Uint32Array(next.at(-1) ?? 0)
  ranks.forEach((rank, row) => {
    if (Number.isNaN(rank)) return
    const place = next[2 * rank] ?? 0
    order[place] = row
    next[2 * rank] = place + 1
  })
  return order
}

/**
 * Ranks among the rows of the same group alone, from 1; not a number for rows whose group is below 0. `ranks` and `order` are those of
 * the whole column.
 */
export function ranksWithin(ranks: Float64Array, order: Uint32Array, groups: Int32Array, count: number): Float64Array {
  const result = new Float64Array(ranks.length).fill(Number.NaN)
  const [before, equal] = [new Uint32Array(count), new Uint32Array(count)]
  for (let from = 0; from < order.length; ) {
    const rank = ranks[order[from] ?? 0]
    let to = from
    for (; to < order.length && ranks[order[to] ?? 0] === rank; to++) {
      const group = groups[order[to] ?? 0] ?? -1
      if (group >= 0) equal[group] = (equal[group] ?? 0) + 1
    }
    for (let at = from; at < to; at++) {
      const group = groups[order[at] ?? 0] ?? -1
      if (group >= 0) result[order[at] ?? 0] = (before[group] ?? 0) + ((equal[group] ?? 0) + 1) / 2
    }
    for (let at = from; at < to; at++) {
      const group = groups[order[at] ?? 0] ?? -1
      if (group < 0) continue
      before[group] = (before[group] ?? 0) + (equal[group] ?? 0)
      equal[group] = 0
    }
    from = to
  }
  return result
}

export interface Correlation {
  /** -1 to 1; 0 where one of the two never changes. */
  readonly r: number
  /** Rows in which both are known. */
  readonly n: number
}

/** Pearson's coefficient of the rows in which both are known. */
export function correlate(a: Float64Array, b: Float64Array): Correlation {
  let [n, sumA, sumB] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0]
    // One comparison for both: a sum with a missing value is none.
    if (Number.isNaN(x + y)) continue
    n++
    sumA += x
    sumB += y
  }
  const [meanA, meanB] = [sumA / n, sumB / n]
  let [aa, bb, ab] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [(a[i] ?? 0) - meanA, (b[i] ?? 0) - meanB]
    if (Number.isNaN(x + y)) continue
    aa += x * x
    bb += y * y
    ab += x * y
  }
  const scale = Math.sqrt(aa) * Math.sqrt(bb)
  return { r: scale > 0 && Number.isFinite(scale) ? Math.max(-1, Math.min(1, ab / scale)) : 0, n }
}

/** How like each value is the one before it; 0 where they are unlike. */
export function persistence(values: Float64Array): number {
  return values.length < 3 ? 0 : Math.max(0, correlate(values.subarray(1), values.subarray(0, -1)).r)
}
