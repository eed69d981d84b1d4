/** Money is counted in integer millionths inside, and shown as exact decimals. */

/** The most that the contract's counts of one task can hold. */
export const MOST_COUNT = 2 ** 32 - 1

/**
 * What is used or paid, as it is written down: a whole number from 0 up to `most`. @throws RangeError for any other, before it
 * becomes a record, or an event, that nobody can read
 */
export function quantity(value: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(value) || value < 0 || value > most) throw new RangeError(`not a quantity: ${value}`)
  return value
}

/** Millionths as a decimal with six places: `0.000020`. @throws RangeError for what is no whole number of them */
export function decimalOf(micros: number): string {
  const digits = String(quantity(micros)).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** The same for what may be given back: `-12.480000`. */
export const signedDecimalOf = (micros: number): string => (micros < 0 ? `-${decimalOf(-micros)}` : decimalOf(micros))

/** Thousandths of them, with six places or more: `0.000020`, `0.000694444`. @throws RangeError as `decimalOf` does */
export function priceOf(nanos: number): string {
  const digits = String(quantity(nanos)).padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9).replace(/0{1,3}$/, '')}`
}

/** The other way round. @throws TypeError for any other form, and for more than can be counted exactly */
export function microsOf(decimal: string): number {
  const micros = /^\d+\.\d{6}$/.test(decimal) ? Number(decimal.replace('.', '')) : Number.NaN
  if (!Number.isSafeInteger(micros)) throw new TypeError(`not an amount: ${decimal.slice(0, 40)}`)
  return micros
}
