import { chiSquaredUpper } from './distributions.ts'

/**
 * Two shares compared within several tables of two by two: the differences, weighed as Mantel and Haenszel (1959) weigh tables (for
 * differences Greenland and Robins 1985, "Estimation of a common effect parameter from sparse follow-up data"), and their test.
 */
export interface Shares {
  /** Rows that are there, and those elsewhere. */
  there: number
  elsewhere: number
  /** Of those, the rows that count. */
  whatThere: number
  whatElsewhere: number
}

export const rowsOf = ({ there, elsewhere }: Shares): number => there + elsewhere
export const whatOf = ({ whatThere, whatElsewhere }: Shares): number => whatThere + whatElsewhere
export const differenceOf = ({ there, elsewhere, whatThere, whatElsewhere }: Shares): number =>
  whatThere / there - whatElsewhere / elsewhere

export interface Stratified {
  /** Of the shares, -1 to 1. */
  readonly difference: number
  /** How probable it would be by chance, without the correction for continuity. */
  readonly p: number
}

/** Each table has rows on both sides. */
export function stratified(tables: readonly Shares[]): Stratified {
  let [weights, differences, beyond, variances] = [0, 0, 0, 0]
  for (const one of tables) {
    const [rows, what] = [rowsOf(one), whatOf(one)]
    const weight = (one.there * one.elsewhere) / rows
    weights += weight
    differences += weight * differenceOf(one)
    if (rows < 2) continue
    beyond += one.whatThere - (one.there * what) / rows
    variances += (weight * what * (rows - what)) / (rows * (rows - 1))
  }
  return { difference: differences / weights, p: variances > 0 ? chiSquaredUpper(beyond ** 2 / variances, 1) : 1 }
}
