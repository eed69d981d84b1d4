import { chiSquaredUpper } from './distributions.ts'

/**
 * Numbers of two groups compared within several strata, by the test of van Elteren (1960): Wilcoxon's of each stratum, weighed so that
 * it finds a difference that is the same in all of them. Variances have their correction for ties.
 */
export interface Stratum {
  /** Rows of the one group, and of both. */
  there: number
  rows: number
  /** Of the places of the one group's values among those of the stratum, from 1, equal ones sharing the mean of theirs. */
  ranks: number
  /** Of the squares of all places. */
  squares: number
}

export interface Superiority {
  /** -1 to 1: how much more often a value of the one group is above one of the other than below it, both of one stratum (Cliff 1993). */
  readonly difference: number
  /** How probable it would be by chance. */
  readonly p: number
}

export const isShared = ({ there, rows }: Stratum): boolean => there > 0 && there < rows

/** Each stratum has rows of both groups. */
export function vanElteren(strata: readonly Stratum[]): Superiority {
  let [beyond, variance, weights] = [0, 0, 0]
  for (const { there, rows, ranks, squares } of strata) {
    const elsewhere = rows - there
    const weight = 1 / (rows + 1)
    beyond += weight * (ranks - (there * (rows + 1)) / 2)
    const spread = squares - (rows * (rows + 1) ** 2) / 4
    variance += (weight ** 2 * there * elsewhere * spread) / (rows * (rows - 1))
    weights += weight * there * elsewhere
  }
  return {
    difference: weights > 0 ? (2 * beyond) / weights : 0,
    p: variance > 0 ? chiSquaredUpper(beyond ** 2 / variance, 1) : 1,
  }
}
