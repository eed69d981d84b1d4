/** Figures that are so many times a given one, or a part of it: “310 km in five days, 62 a day”, “200 g at £2.60 per 100 g”. */
import { isClock, isNear } from './known-quantities.ts'
import type { Quantity } from './quantities.ts'
import { isCurrency } from './units.ts'

/**
 * Whether a figure is a given one of the same dimension times or by a count, a span or an amount of things that stands beside it
 * in the text: two heights and 150 kg make no 300. Times of day give the spans between them.
 */
export function isMultiple(
  one: Quantity,
  beside: readonly Quantity[],
  paragraphs: readonly (readonly Quantity[])[],
): boolean {
  if (one.isId || one.dimension === undefined || one.dimension === 'share' || isClock(one)) return false
  const is = (value: number) => Math.abs(value - one.value) < 0.006 || isNear(one.value, value, one.hedge)
  const near = beside.filter(other => other !== one)
  return paragraphs.some(all => {
    const like = all.filter(({ dimension, isId }) => dimension === one.dimension && !isId).slice(0, MOST)
    const factors = factorsOf(near)
    if (isMultiplied(one) && like.some(({ value }) => factors.some(factor => is(value * factor) || is(value / factor))))
      return true
    if (isCurrency(one.dimension) && like.some(({ value }) => ratiosOf(near, all).some(ratio => is(value * ratio))))
      return true
    return one.dimension === 'time' && isSpan(one, all, factorsOf([...near, ...all].slice(0, 2 * MOST)), is)
  })
}

/** Twice a period of guarantee is another one, not one that follows. */
const isMultiplied = ({ dimension }: Quantity): boolean =>
  dimension !== 'time' && dimension !== 'month' && dimension !== 'workday'

/** Counts, and figures of spans as they are written: “10 weeks of 2 hours”. */
const factorsOf = (all: readonly Quantity[]): number[] =>
  all.flatMap(({ dimension, plain, isId }) =>
    !isId && (dimension === undefined || spans.has(dimension)) && Number.isInteger(plain) && plain > 1 && plain <= 100
      ? [plain]
      : [],
  )
const spans: ReadonlySet<string> = new Set(['time', 'month', 'workday'])

/** Of what stands beside it to what was given: 200 g to 100 g. */
const ratiosOf = (near: readonly Quantity[], all: readonly Quantity[]): number[] =>
  near.flatMap(({ dimension, value }) =>
    !measures.has(dimension ?? '')
      ? []
      : all.flatMap(given => (given.dimension === dimension && given.value > 0 ? [value / given.value] : [])),
  )
const measures: ReadonlySet<string> = new Set(['mass', 'volume', 'length', 'time'])

/**
 * From one time of day to another, so many times, or less or more than a given span; also its minutes: “an hour and 25
 * minutes”.
 */
function isSpan(
  one: Quantity,
  all: readonly Quantity[],
  factors: readonly number[],
  is: (value: number) => boolean,
): boolean {
  const given = all.filter(({ dimension, value }) => dimension === 'time' && value < DAY).slice(0, MOST)
  return spansOf(all.filter(isClock).slice(0, MOST)).some(span => {
    const isRest = one.value < 60 && span > 60 && span % 60 === one.value
    return (
      isRest ||
      is(span) ||
      factors.some(factor => is(span * factor)) ||
      given.some(({ value }) => is(span - value) || is(span + value))
    )
  })
}

/** Where morning or afternoon is not said, both are taken. */
const spansOf = (times: readonly Quantity[]): number[] =>
  times.flatMap((start, at) =>
    times.slice(at + 1).flatMap(end => {
      const span = (end.value - start.value + DAY) % DAY
      return start.dimension === 'clock12' || end.dimension === 'clock12' ? [span, span % (DAY / 2)] : [span]
    }),
  )

const DAY = 1_440
/** Of a long row of figures, each pair would take long. */
const MOST = 24
