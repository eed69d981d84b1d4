/** Figures that are reckoned from given ones beside which they stand: “702 of 1,260, over half of them”. */
import { isNear, type Quantity } from './quantities.ts'

/**
 * Whether a share, a multiple or a difference follows from figures of the same or the last sentence. A share may also be of the
 * greatest figure given, which is the total.
 */
export function isDerived(one: Quantity, near: readonly Quantity[], given: readonly Quantity[]): boolean {
  const parts = near.filter(({ isId }) => !isId).slice(-MOST_PARTS)
  const total = given.filter(({ dimension, isId, plain }) => dimension === undefined && !isId && !isYear(plain))
  const greatest = total.length === 0 ? [] : [total.reduce((most, next) => (next.plain > most.plain ? next : most))]
  return parts.some(part =>
    [...parts, ...(one.dimension === 'share' ? greatest : [])].some(
      whole => whole !== part && whole.dimension === part.dimension && isOf(one, part.value, whole.value),
    ),
  )
}

/** Of a long row of figures, each pair would take long. */
const MOST_PARTS = 12

const isYear = (plain: number): boolean => Number.isInteger(plain) && plain >= 1900 && plain < 2100

function isOf({ dimension, plain, value, hedge }: Quantity, part: number, whole: number): boolean {
  if (part <= 0 || whole <= 0) return false
  const ways =
    dimension === 'share'
      ? [(part / whole) * 100, (Math.abs(whole - part) / whole) * 100]
      : dimension === 'times'
        ? [part / whole]
        : []
  const said = dimension === 'share' ? value : plain
  return ways.some(way => Math.abs(way - said) <= ROUNDED || isNear(said, way, hedge))
}

/** A share is written in whole per cents. */
const ROUNDED = 0.5
