/** Values far away from all others, further than the tail of their own column reaches. */
import { identifier } from '../../table/database.ts'
import type { Ranked } from '../sample.ts'
import { around, DEVIATION, MEDIAN } from '../spread.ts'
import { gapProbabilities } from '../statistics/tail.ts'
import { type Effect, proved, said } from './effect.ts'
import { columnSaid } from './groups.ts'

/** Fewer values have no tail. */
const LEAST = 30
/** In standard deviations as the median absolute deviation reckons them: nothing nearer is called an outlier. */
const NEAREST = 5

/** Values that say how the tail reaches out. */
const LONGEST_TAIL = 1000

type Tail = 'high' | 'low'

/**
 * Those beyond a gap that is too wide for the tail: so a column with a long tail has no outliers, and one value far off a short tail is
 * one. None where there is no tail to test.
 */
export function outliers({ column, sorted }: Ranked): Effect[] {
  const median = sorted[sorted.length >> 1] ?? 0
  const deviation = 1.4826 * medianDeviation(sorted, sorted.length >> 1)
  if (sorted.length < LEAST || deviation === 0) return []
  return (['high', 'low'] as const).flatMap(tail => inTail(column.name, sorted, median, deviation, tail) ?? [])
}

function inTail(name: string, sorted: Float64Array, median: number, deviation: number, tail: Tail): Effect | undefined {
  const n = sorted.length
  const sign = tail === 'high' ? 1 : -1
  const m = Math.min(LONGEST_TAIL, Math.floor(n / (n < 100 ? 3 : 5)))
  const outwards = spread(tail === 'high' ? sorted.toReversed() : sorted.map(value => -value), 2 * m)
  const most = Math.max(1, Math.min(20, Math.floor(n * 0.02), Math.floor(m / 4)))
  const probabilities = gapProbabilities(outwards, m, most)
  if (probabilities === undefined) return undefined
  let best = { p: 1, count: 0 }
  probabilities.forEach((p, i) => {
    const isFar = Math.abs((outwards[i] ?? 0) - sign * median) >= NEAREST * deviation
    if (isFar && p < best.p) best = { p, count: i + 1 }
  })
  const bound = sign * (outwards[best.count - 1] ?? Number.NaN)
  return {
    kind: 'outliers',
    columns: [name],
    p: Math.min(1, best.p * most),
    strength: 1,
    measure: 'certain or not',
    test: 'gaps in the tail',
    tell: async ask => {
      const x = identifier(name)
      const nearest = nearestTo(sorted, bound)
      const proof = await proved(
        ask,
        `SELECT count(*) AS outliers, min(${x}) AS lowest, max(${x}) AS highest, min(abs(${x} - ${MEDIAN})) / any_value(${DEVIATION}) AS deviations, any_value(${MEDIAN}) AS median FROM data, ${around(x)} WHERE ${x} ${tail === 'high' ? '>=' : '<='} CAST(${JSON.stringify(nearest)} AS DOUBLE)`,
      )
      const count = proof.of('outliers')
      const values = count === 1 ? 'One value' : `${said(count)} values`
      const range =
        count === 1 ? said(proof.of('lowest')) : `${said(proof.of('lowest'))} to ${said(proof.of('highest'))}`
      const statement = `${values} of ${columnSaid(name)} ${count === 1 ? 'lies' : 'lie'} far ${tail === 'high' ? 'above' : 'below'} all others: ${range}, where the median is ${said(proof.of('median'))}.`
      return { statement, sql: proof.sql, values: proof.values }
    },
  }
}

/** Values that were rounded to the same, spread over what they were rounded from; the largest first. */
function spread(all: Float64Array, most: number): Float64Array {
  const values = all.subarray(0, lastOfRun(all, most))
  const result = values.slice()
  let step = Number.POSITIVE_INFINITY
  for (let i = 1; i < values.length; i++) {
    const gap = (values[i - 1] ?? 0) - (values[i] ?? 0)
    if (gap > 0) step = Math.min(step, gap)
  }
  for (let from = 0; from < values.length; ) {
    let to = from + 1
    while (to < values.length && values[to] === values[from]) to++
    if (to - from > 1)
      for (let i = from; i < to; i++) result[i] = (values[from] ?? 0) + step * (0.5 - (i - from + 0.5) / (to - from))
    from = to
  }
  return result
}

/** The end of the run of equal values that `at` is in. */
function lastOfRun(values: Float64Array, at: number): number {
  let end = Math.min(at, values.length)
  while (end < values.length && values[end] === values[end - 1]) end++
  return end
}

/** The median of the distances from the value at `middle`: half of the values, nearest first. */
function medianDeviation(sorted: Float64Array, middle: number): number {
  const median = sorted[middle] ?? 0
  let [below, above, distance] = [middle - 1, middle + 1, 0]
  for (let taken = 0; taken < middle; taken++) {
    const down = below < 0 ? Number.POSITIVE_INFINITY : median - (sorted[below] ?? 0)
    const up = above >= sorted.length ? Number.POSITIVE_INFINITY : (sorted[above] ?? 0) - median
    distance = Math.min(down, up)
    if (down <= up) below--
    else above++
  }
  return distance
}

/** The value itself, where it was moved from. */
const nearestTo = (sorted: Float64Array, value: number) =>
  sorted.reduce((best, one) => (Math.abs(one - value) < Math.abs(best - value) ? one : best), sorted[0] ?? 0)
