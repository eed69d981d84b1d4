/** Columns of numbers with a unit, spaces or brackets: `$200`, `20 %`, `1'200.50`, `1 200,50`, `(200)`, `−200`. */
import { shown } from './foreign-text.ts'
import { hasDecimalComma, readNumber } from './number.ts'

export interface PlainForm {
  /** As `readNumber` reads them. */
  readonly cells: readonly string[]
  /** What was read, for a person: `"$200" as 200`. */
  readonly example: string
}

/** Undefined where nothing is to be taken away, where a cell is no number even so, or where they have different units. */
export function plainForm(cells: readonly string[]): PlainForm | undefined {
  const units = new Set<string>()
  const plain: string[] = []
  for (const cell of cells) {
    const { number, unit } = withoutSigns(cell)
    const value = readNumber(number, false) ?? readNumber(number, true)
    if (value === undefined) return undefined
    if (!Number.isNaN(value)) units.add(unit)
    if (units.size > 1) return undefined
    plain.push(number)
  }
  const first = cells.findIndex((cell, i) => cell.trim() !== plain[i] && plain[i] !== '')
  const comma = hasDecimalComma(plain)
  const value = readNumber(plain[first] ?? '', comma)
  if (value === undefined || Number.isNaN(value) || !plain.every(cell => readNumber(cell, comma) !== undefined))
    return undefined
  return { cells: plain, example: `${shown(cells[first] ?? '')} as ${value}` }
}

const LONGEST = 40
const UNIT = `[$€£¥%]|CHF|EUR|GBP|USD`
const BEFORE = new RegExp(`^([+-]?)\\s*(${UNIT})\\s*(?=[+-]?[\\d.,])`)
const AFTER = new RegExp(`(?<=\\d)\\s*(${UNIT})$`)
/** Thousands apart by an apostrophe or a space, each time by the same. */
const GROUPED = /^[+-]?\d{1,3}(['’\u00A0\u202F\u2009 ])\d{3}(\1\d{3})*([.,]\d*)?$/

function withoutSigns(cell: string): { readonly number: string; readonly unit: string } {
  const text = cell.trim()
  if (text.length > LONGEST) return { number: text, unit: '' }
  const signed = text.replace(/^\u2212/, '-').replace(/^\(([^()+-]+)\)$/, '-$1')
  const unit = BEFORE.exec(signed)?.[2] ?? AFTER.exec(signed)?.[1] ?? ''
  const bare = signed
    .replace(BEFORE, '$1')
    .replace(AFTER, '')
    .replace(/^\u2212/, '-')
  return { number: GROUPED.test(bare) ? bare.replaceAll(/['’\s]/g, '') : bare, unit }
}
