/** Numbers as tables have them. */

/** What people write for a value that is not there. */
const MISSING = new Set(
  '|na|n/a|nan|null|none|missing|-|–|—|.|..|#n/a|\\n|#nv|n.a.|n. a.|k.a.|k. a.|n.v.|n. v.|(null)|<na>'.split('|'),
)
const EXPONENT = String.raw`([eE][+-]?\d{1,3})?`
const PLAIN = new RegExp(`^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)${EXPONENT}$`)
/** Groups of three; of two above the first thousand, as in India. None begins with a zero: `0,125` has decimals. */
const GROUPED = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$|^[+-]?[1-9]\d?(,\d{2})+,\d{3}(\.\d*)?$/
const COMMA = new RegExp(`^[+-]?(\\d+|[1-9]\\d{0,2}(\\.\\d{3})+)(,\\d*)?${EXPONENT}$`)
/** The longest text that is read as a number. */
const LONGEST = 40

export type Decimal = 'point' | 'comma'

export interface DecimalSign {
  readonly is: Decimal
  /** A cell that could be read with either, where no cell decides: `1.234`. */
  readonly unsure?: string
}

/** How many cells with a point or a comma decide, where some of them do. */
const SAMPLE = 200

/** What is before the decimals, by the cells that can be read with one sign only; undefined where no cell has either. */
export function decimalOf(cells: Iterable<string>): DecimalSign | undefined {
  let [point, comma, seen] = [0, 0, 0]
  let unsure: string | undefined
  for (const cell of cells) {
    if (cell.length > LONGEST || !/[.,]/.test(cell)) continue
    const [byPoint, byComma] = [readNumber(cell, false), readNumber(cell, true)]
    if (Object.is(byPoint, byComma)) continue
    if (byPoint === undefined) comma++
    else if (byComma === undefined) point++
    else unsure ??= cell
    if (++seen >= SAMPLE && point + comma > 0) break
  }
  if (point + comma > 0) return { is: comma > point ? 'comma' : 'point' }
  return unsure === undefined ? undefined : { is: 'point', unsure }
}

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

/** What a spreadsheet shows where it could not reckon. */
export const isError = (text: string) =>
  text.startsWith('#') && /^#(?:DIV\/0|REF|VALUE|NAME|NUM|NULL|WERT|BEZUG|ZAHL|ERROR|SPILL|CALC)[!?]$/i.test(text)
