/** Whether intervals hold as many of the values that were held back as they promise. */

export interface Range {
  /** Per cent. */
  readonly least: number
  readonly most: number
}

/** `unknown`: so few values that a sound interval would often lie outside of the range by chance. */
export type Verdict = 'kept' | 'broken' | 'unknown'

/** Of 95 % intervals 90 to 98 %; of others as far away in standard deviations of a share. To one digit behind the point. */
export function rangeOf(level: number): Range {
  const wide = Math.sqrt((level * (100 - level)) / (95 * 5))
  const rounded = (value: number) => Math.min(100, Math.round(10 * value) / 10)
  return { least: rounded(level - 5 * wide), most: rounded(level + 3 * wide) }
}

/** What it says that `share`, 0 to 1, of so many values lay in their intervals; by the binomial distribution, as if none hung together. */
export function verdictOn(level: number, share: number, values: number, { least, most } = rangeOf(level)): Verdict {
  const isInside = 100 * share >= least && 100 * share <= most
  if (isEnough(level, values, { least, most })) return isInside ? 'kept' : 'broken'
  const held = Math.round(share * values)
  const p = level / 100
  // Too few to say that a promise was kept may be enough to say that it was not.
  const isChance = atMost(held, values, p) > CHANCE / 2 && 1 - atMost(held - 1, values, p) > CHANCE / 2
  return isInside || isChance ? 'unknown' : 'broken'
}

const CHANCE = 0.05
/** Intervals that promise nearly all can't hold too much, and any few would do. */
const FEWEST = 100

/** So many that intervals which hold what they promise nearly always lie in the range: of 95 and 80 % some 155 values. */
function isEnough(level: number, values: number, { least, most }: Range): boolean {
  if (values < FEWEST) return false
  const p = level / 100
  const above = most >= 100 ? 1 : atMost(Math.floor((values * most) / 100), values, p)
  return above - atMost(Math.ceil((values * least) / 100) - 1, values, p) >= 1 - CHANCE
}

/** Of the binomial distribution: that of `n` at most `k` are. */
function atMost(k: number, n: number, p: number): number {
  let term = n * Math.log1p(-p)
  let sum = 0
  for (let i = 0; i <= Math.min(k, n); i++) {
    sum += Math.exp(term)
    term += Math.log((n - i) / (i + 1)) + Math.log(p / (1 - p))
  }
  return Math.min(1, sum)
}
