/**
 * The arithmetic of money. Prices are whole nano-dollars, amounts whole micro-dollars; products are made in `bigint`, so
 * nothing is lost on the way. docs/decisions/billing.md says where amounts are rounded: here, and nowhere else.
 */

/** Rounded to the nearest whole number, a half to the even one. `divisor` is positive. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const floor = dividend / divisor - (dividend % divisor < 0n ? 1n : 0n)
  const twice = 2n * (dividend - floor * divisor)
  if (twice === divisor) return floor % 2n === 0n ? floor : floor + 1n
  return twice > divisor ? floor + 1n : floor
}

/** What a run of so many milliseconds costs: its price is a whole number of micro-dollars, rounded up. */
export function runMicros(ms: number, nanosPerSecond: number): number {
  const picos = BigInt(ms) * BigInt(nanosPerSecond)
  return exact((picos + 999_999n) / 1_000_000n)
}

/** A time from `start` until before `end`, in milliseconds since 1970. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * What a part of a period costs, by the second. The parts of a period add up to the price of the whole, however it is
 * cut: a part costs the price of the period until its end, rounded half to even, less the same until its start.
 */
export function proratedMicros(micros: number, period: Span, part: Span): number {
  const seconds = wholeSeconds(period.start, period.end)
  const until = (time: number) => divideHalfEven(BigInt(micros) * wholeSeconds(period.start, time), seconds)
  return exact(until(part.end) - until(part.start))
}

/** Seconds that have begun by their start: `09:00:00.900` is still `09:00:00`. */
const wholeSeconds = (from: number, to: number) => BigInt(Math.floor(to / 1000) - Math.floor(from / 1000))

/** The whole cents that are due for an amount, in micro-dollars. This alone is rounded of an invoice: half to even. */
export const dueMicros = (micros: number): number => exact(divideHalfEven(BigInt(micros), 10_000n) * 10_000n)

/** @throws RangeError for more than 2^53 micro-dollars, some nine thousand millions of dollars */
function exact(micros: bigint): number {
  const number = Number(micros)
  if (!Number.isSafeInteger(number)) throw new RangeError(`not an amount: ${micros}`)
  return number
}
