/** Figures that are reckoned from given ones: “702 of 1,260, over half of them”, “30 % of £68 is £20.40”, “six Saturdays” in weeks. */
import { isClock, isNear } from './known-quantities.ts'
import { isMultiple } from './multiples.ts'
import type { Quantity } from './quantities.ts'
import { isCurrency } from './units.ts'

/**
 * Whether a figure follows from others. A share, a multiple: from figures of the same or the last sentence; a share may also be
 * of the greatest figure given, which is the total. A sum, a difference, a product: from what was given in one paragraph.
 */
export function isDerived(
  written: Quantity,
  near: readonly Quantity[],
  beside: readonly Quantity[],
  given: readonly Quantity[],
  paragraphs: readonly (readonly Quantity[])[],
): boolean {
  // “Three nights at 128 euros make 384.”
  const currency = [...beside, ...(written.isAmount ? given : [])].find(({ dimension }) =>
    isCurrency(dimension),
  )?.dimension
  const isBare = written.dimension === undefined && !written.counts && !written.isId
  const one = isBare && currency !== undefined && !isYear(written.plain) ? { ...written, dimension: currency } : written

  return (
    isShareOf(one, near, given) ||
    isPartOf(one, given) ||
    isTimes(one, beside, given) ||
    isSumOf(one, beside, given) ||
    isProductOf(one, beside, given) ||
    isMultiple(one, beside, paragraphs) ||
    paragraphs.some(all => isReckoned(one, all))
  )
}

/** “£42 for the yarn, so £87 with the course”: with amounts that stand beside it. */
function isSumOf(one: Quantity, beside: readonly Quantity[], given: readonly Quantity[]): boolean {
  if (!isCurrency(one.dimension) && !one.isAmount) return false
  const amounts = [...beside, ...given.slice(0, MOST_OPERANDS)].filter(a => a !== one && isCurrency(a.dimension))
  const near = beside.filter(a => a !== one && isCurrency(a.dimension))
  // “£5.20, £6.40 and £5.50: £17.10 in all”
  let sum = 0
  for (const { value, dimension } of near.toReversed())
    if (dimension === one.dimension) {
      sum += value
      if (isEqual(sum, one.value)) return sum !== value
    }
  return near.some(a =>
    amounts.some(
      b =>
        a !== b &&
        a.dimension === b.dimension &&
        (isEqual(a.value + b.value, one.value) || isEqual(Math.abs(a.value - b.value), one.value)),
    ),
  )
}

/** “350 Wednesdays, 5 kilometres each. That's 1,750 km”: of given figures that stand beside it. */
function isProductOf(one: Quantity, beside: readonly Quantity[], given: readonly Quantity[]): boolean {
  if (one.dimension === 'share' || isClock(one)) return false
  const parts = beside.filter(
    a => a !== one && !a.isId && given.some(b => b.value === a.value && b.dimension === a.dimension),
  )
  return parts.some(
    a =>
      a.dimension === one.dimension &&
      parts.some(b => b !== a && b.dimension === undefined && isEqual(a.value * b.plain, one.value)),
  )
}

/** “30 % of £68 is £20.40”, or what is left of it. */
function isPartOf(one: Quantity, given: readonly Quantity[]): boolean {
  if (!isCurrency(one.dimension)) return false
  const shares = given.filter(({ dimension }) => dimension === 'share').slice(0, MOST_OPERANDS)
  return given.some(
    ({ dimension, value }) =>
      dimension === one.dimension &&
      shares.some(share => [share.value, 100 - share.value].some(part => isEqual((value * part) / 100, one.value))),
  )
}

/** “Two bags come to £19.60”, “€30 a year is €2.50 a month”: by a figure that stands beside it, or by the months of a year. */
function isTimes(one: Quantity, beside: readonly Quantity[], given: readonly Quantity[]): boolean {
  if (!isCurrency(one.dimension)) return false
  const amounts = given.filter(({ dimension }) => dimension === one.dimension).slice(0, MOST_OPERANDS)
  const shares = given.filter(({ dimension }) => dimension === 'share').slice(0, MOST_OPERANDS)
  const values = amounts.flatMap(({ value }) => [
    value,
    ...shares.flatMap(share => [(value * share.value) / 100, (value * (100 - share.value)) / 100]),
  ])
  const is = (value: number) => isEqual(value, one.value) || isNear(one.value, value, one.hedge)
  const factors = [...beside, ...given.filter(({ dimension }) => dimension === 'times')].flatMap(
    ({ plain, dimension }) =>
      dimension !== 'share' && !isCurrency(dimension) && Number.isInteger(plain) && plain > 1 ? [plain] : [],
  )
  const inYears = amounts.flatMap(a => amounts.map(b => Math.abs(a.value * MONTHS - b.value)))
  return (
    inYears.some(value => isEqual(value, one.value)) ||
    amounts.some(({ value }) => is(value * MONTHS) || is(value / MONTHS)) ||
    values.some(value => factors.some(factor => is(value * factor) || is(value / factor)))
  )
}

const MONTHS = 12

function isShareOf(one: Quantity, near: readonly Quantity[], given: readonly Quantity[]): boolean {
  if (one.dimension !== 'share' && one.dimension !== 'times') return false
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

/** Amounts and spans by the figures of one paragraph; a count by differences and sums of counts. */
function isReckoned(one: Quantity, all: readonly Quantity[]): boolean {
  if (one.isId || one.dimension === 'share' || isClock(one)) return false
  if (one.dimension === 'times' || (one.isRate && one.dimension === undefined)) return isQuotient(one, all)
  const like = all
    .filter(
      ({ dimension, isId, counts }) => dimension === one.dimension && !isId && (dimension !== undefined || counts),
    )
    .slice(0, MOST_OPERANDS)
  const is = (value: number) => isEqual(value, one.value) || isNear(one.value, value, one.hedge)
  const isSum = () => like.some(a => like.some(b => a !== b && (is(a.value + b.value) || is(a.value - b.value))))
  if (one.dimension === undefined) return one.isOfRest && isSum()
  if ((one.isOfRest || !isCurrency(one.dimension)) && isSum()) return true
  const counts = all.filter(({ dimension, plain, isId }) => dimension === undefined && plain < MOST_COUNT && !isId)
  if (isCurrency(one.dimension) && one.isRate && like.some(a => counts.some(({ plain: n }) => is(a.value / n))))
    return true
  if (one.dimension === 'time' && one.hedge === 'near' && like.some(({ value }) => is(value * 4) || is(value * 52)))
    return true
  return one.dimension === 'time' && spansOf(all, counts).some(is)
}

/** “25 times as much” of 2 GB and 50 GB, “100 lumen for every watt” of 900 lumen and 9 watts. */
function isQuotient(one: Quantity, all: readonly Quantity[]): boolean {
  const counts = all.filter(({ dimension, isId }) => dimension === undefined && !isId).slice(0, MOST_OPERANDS)
  return counts.some(a => counts.some(b => a !== b && b.plain > 0 && isEqual(a.plain / b.plain, one.plain)))
}

/** From one time of day to the next, once or as often as something takes place; and weeks, where days of the week are counted. */
function spansOf(all: readonly Quantity[], counts: readonly Quantity[]): number[] {
  const times = all.filter(isClock).slice(0, MOST_OPERANDS)
  const spans = times.slice(1).map((end, at) => end.value - (times[at]?.value ?? 0))
  const weeks = counts.filter(({ isOfDays }) => isOfDays).map(({ plain }) => plain * WEEK)
  return [...spans, ...spans.flatMap(span => counts.map(({ plain }) => span * plain)), ...weeks]
}

const WEEK = 10_080
const MOST_OPERANDS = 24
const MOST_COUNT = 100

const isEqual = (one: number, other: number): boolean => Math.abs(one - other) < 0.006
