/** Money is counted in integer millionths inside, and shown as exact decimals. */

/** Millionths as a decimal with six places: `0.000020`. */
export function decimalOf(micros: number): string {
  const digits = String(micros).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** The other way round. @throws TypeError for any other form, and for more than can be counted exactly */
export function microsOf(decimal: string): number {
  const micros = /^\d+\.\d{6}$/.test(decimal) ? Number(decimal.replace('.', '')) : Number.NaN
  if (!Number.isSafeInteger(micros)) throw new TypeError(`not an amount: ${decimal.slice(0, 40)}`)
  return micros
}
