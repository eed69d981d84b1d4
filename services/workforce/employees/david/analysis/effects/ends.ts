/** Which groups have the highest and the lowest numbers, and by what that is told. */
import type { NumberColumn } from '../../table/columns.ts'
import { type Groups, type Part, partOf } from './groups.ts'

/** What is tested are ranks: wild values may turn the mean round, and many equal ones the median. */
export type Measure = 'median' | 'mean' | 'mean rank'

export interface Ends {
  readonly measure: Measure
  /** Several groups where they have the same. */
  readonly high: Part
  readonly low: Part
  /** Places of the groups, those of the highest median first. */
  readonly byMedian: readonly number[]
}

/** `rank` gives the mean rank of a group; `places` are those that are compared. */
export function endsOf(
  { values }: NumberColumn,
  groups: Groups,
  places: readonly number[],
  rank: (place: number) => number,
): Ends {
  const inGroup = Array.from(groups.groups, (): number[] => [])
  values.forEach((value, row) => {
    if (!Number.isNaN(value)) inGroup[groups.codes[row] ?? -1]?.push(value)
  })
  const by = MEASURES.map(([measure, of]) => {
    const sizes = new Map(places.map(place => [place, of ? of(inGroup[place] ?? []) : rank(place)]))
    const size = (place: number) => sizes.get(place) ?? 0
    const sorted = places.toSorted((a, b) => size(b) - size(a) || rank(b) - rank(a))
    const same = (as: number) => sorted.filter(place => size(place) === size(as))
    const [high, low] = [same(sorted[0] ?? 0), same(sorted.at(-1) ?? 0)]
    const isSo = size(high[0] ?? 0) > size(low[0] ?? 0) && Math.min(...high.map(rank)) > Math.max(...low.map(rank))
    return { measure, sorted, high, low, isSo }
  })
  const chosen = by.find(({ isSo }) => isSo) ?? by.at(-1)
  if (chosen === undefined) throw new Error('There is a measure.')
  return {
    measure: chosen.measure,
    high: partOf(chosen.high, groups),
    low: partOf(chosen.low, groups),
    byMedian: by[0]?.sorted ?? [],
  }
}

export const medianOf = (values: readonly number[]): number => {
  const sorted = Float64Array.from(values).sort()
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}
export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The last is that of the ranks, which always says what the test says. */
const MEASURES: readonly (readonly [Measure, ((values: readonly number[]) => number) | undefined])[] = [
  ['median', medianOf],
  ['mean', meanOf],
  ['mean rank', undefined],
]
