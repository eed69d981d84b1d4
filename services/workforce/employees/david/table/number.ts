/** Numbers as tables have them. */

/** What people write for a value that is not there. */
const MISSING = new Set(['', 'na', 'n/a', 'nan', 'null', 'none', 'missing', '-', '.', '#n/a'])
const PLAIN = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/
const GROUPED = /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/
const COMMA = /^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d*)?$/
/** The longest text that is read as a number. */
const LONGEST = 40

/** Whether a comma is before the decimals: it is where no cell can be read otherwise. */
export const hasDecimalComma = (cells: readonly string[]): boolean =>
  cells.some(cell => /,\d/.test(cell.slice(0, LONGEST))) &&
  cells.some(cell => readNumber(cell, false) === undefined) &&
  cells.every(cell => readNumber(cell, true) !== undefined)

/** Not a number where the value is missing; undefined where the text is something else. */
export function readNumber(cell: string, decimalComma: boolean): number | undefined {
  const text = cell.trim()
  if (text.length > LONGEST) return undefined
  if (MISSING.has(text.toLowerCase())) return Number.NaN
  if (decimalComma) return COMMA.test(text) ? Number(text.replaceAll('.', '').replace(',', '.')) : undefined
  if (PLAIN.test(text)) return Number(text)
  return GROUPED.test(text) ? Number(text.replaceAll(',', '')) : undefined
}

/** Longer than what a number can tell apart, or with zeros in front: a name, not a number. */
export const isDesignation = (text: string) => /^\s*[+-]?0\d|^\s*[+-]?\d{16}/.test(text)
