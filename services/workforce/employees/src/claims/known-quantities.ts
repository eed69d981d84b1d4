/** Whether a figure was given: the same in the same unit, or nearly where the text says so. */
import type { Quantity } from './quantities.ts'
import { isCurrency } from './units.ts'

export interface GivenQuantities {
  readonly quantities: readonly Quantity[]
  readonly words: ReadonlySet<string>
  readonly counts: ReadonlySet<number>
  /** Dimensions that figures without a unit may have, such as those of a table's columns. */
  readonly headings: ReadonlySet<string>
}

/** Whether somebody gave it: the same in the same unit, or nearly where the text says so. */
export function isKnownQuantity(
  one: Quantity,
  { quantities: given, words, counts, headings }: GivenQuantities,
): boolean {
  if (one.counts && (counts.has(one.plain) || (one.isOfText && one.plain < 10))) return true
  if (one.isSmall && one.dimension === undefined && !isCountedOtherwise(one, given)) return true
  if (one.shown.toLowerCase() === 'half' && words.has('median')) return true
  return given.some(known => isSame(one, known, headings))
}

/** “Two play groups” where three were given. */
const isCountedOtherwise = (one: Quantity, given: readonly Quantity[]): boolean =>
  given.some(({ counted }) => counted.some(stem => one.counted.includes(stem)))

/** How many each list of a text has: “German, French and English” are three languages. */
export const countsOf = (text: string): ReadonlySet<number> =>
  new Set(
    [...(text.match(lists) ?? []), ...(text.match(bracketed) ?? [])].map(
      list => list.split(/, | and | or |:/).filter(part => part.trim() !== '').length,
    ),
  )

const bracketed = /[({[] ?[\p{L}\d_-]{1,40}(?:, [\p{L}\d_-]{1,40}){1,9} ?[)}\]]/gu

const lists =
  /(?<![\p{L}\d-])(?:[\p{L}\d-]+(?: [\p{L}\d-]+)?, ){1,9}[\p{L}\d-]+(?: [\p{L}\d-]+)?,? (?:and|or) [\p{L}\d-]+/gu

function isSame(one: Quantity, known: Quantity, headings: ReadonlySet<string>): boolean {
  if (isClock(one) || isClock(known)) return isSameTime(one, known)
  if (one.dimension === 'cent' && isCurrency(known.dimension)) return Math.abs(one.plain / 100 - known.value) < 0.001
  // “82 pounds” of a dog of 82 lb.
  if (one.dimension === 'gbp' && known.dimension === 'mass' && /^\d+$/.test(one.shown))
    return Math.abs(one.plain * POUND - known.value) < 1
  if (!isSameDimension(one, known, headings)) return false
  const isPlain = one.dimension === undefined || known.dimension === undefined
  const [value, given] = isPlain ? [one.plain, known.plain] : [one.value, known.value]
  if (value === given || (isPlain && one.value === given)) return true
  return isNear(value, given, one.hedge)
}

const POUND = 453.592

export const isClock = ({ dimension }: Quantity): boolean => dimension === 'clock' || dimension === 'clock12'

/** Hours without “am” or “pm” may be of the morning or of the afternoon, and one of the two may be a bare number. */
function isSameTime(one: Quantity, known: Quantity): boolean {
  const isBare = (quantity: Quantity) => quantity.dimension === undefined && !quantity.counts && !quantity.isId
  if (!((isClock(one) || isBare(one)) && (isClock(known) || isBare(known)))) return false
  const [time, given] = [one, known].map(each => (isClock(each) ? each.value : each.plain * 60)) as [number, number]
  if (time === given || (one.hedge === 'near' && Math.abs((time % 720) - (given % 720)) <= ROUGHLY)) return true
  return (one.dimension !== 'clock' || known.dimension !== 'clock') && time % 720 === given % 720
}

/** “Shortly after eleven” may be 11:10. */
const ROUGHLY = 20

/** A figure without a unit is backed by one that has it, but not the other way round, unless its unit stands before it. */
function isSameDimension(one: Quantity, known: Quantity, headings: ReadonlySet<string>): boolean {
  if (known.isId) return one.dimension === undefined && !one.counts
  if (one.dimension === known.dimension) return true
  if (one.dimension === undefined) return !one.counts
  return (
    known.dimension === undefined &&
    !known.counts &&
    (known.headings.includes(one.dimension) || headings.has(one.dimension))
  )
}

/** Whether a figure that is said to be rough is close enough. */
export function isNear(value: number, given: number, hedge: Quantity['hedge']): boolean {
  if (hedge === undefined || given === 0) return false
  const share = (value - given) / given
  if (hedge === 'over') return share <= 0 && share >= -0.1
  if (hedge === 'under') return share >= 0 && share <= 0.1
  return Math.abs(share) <= (hedge === 'rough' ? 0.12 : 0.05)
}
