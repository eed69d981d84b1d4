/** Numbers with a unit, spaces, brackets or a sign behind: `$200`, `20 %`, `1'200.50`, `1 200,50`, `(200)`, `−200`, `200-`. */
import { isError, readNumber } from './number.ts'

/** As `readNumber` reads them. Undefined where a cell is no number even so; `mixed` where cells have different units. */
export function plainForm(cells: readonly string[]): { readonly cells: readonly string[] } | 'mixed' | undefined {
  const units = new Set<string>()
  const plain: string[] = []
  for (const cell of cells) {
    if (isError(cell)) {
      plain.push(cell)
      continue
    }
    const { number, unit } = withoutSigns(cell)
    const value = readNumber(number, false) ?? readNumber(number, true)
    if (value === undefined) return undefined
    if (!Number.isNaN(value)) units.add(unit)
    plain.push(number)
  }
  return units.size > 1 ? 'mixed' : { cells: plain }
}

const LONGEST = 40
const UNIT = `US\\$|[$€£¥₹₽₺₩%‰]|R\\$|kr\\.?|zł|Kč|Fr\\.|CHF|EUR|GBP|USD|JPY|CNY|INR|BRL|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|TRY|ZAR|MXN|Euro|Dollar`
const BEFORE = new RegExp(`^([+-]?)\\s*(${UNIT})\\s*(?=[+(-]?[\\d.,]|-$)`)
const AFTER = new RegExp(`(?<=[\\d-])\\s*(${UNIT})(?=-?$)`)
/** Thousands apart by an apostrophe or a space, each time by the same. */
const GROUPED = /^[+-]?[1-9]\d{0,2}(['’\u00A0\u202F\u2009 ])\d{3}(\1\d{3})*([.,]\d*)?$/
/** Also what word processors make of a minus, and of full width. */
const MINUS = /^[\u2212\u2013\uFF0D\uFE63](?=[\s\d.,$€£])/
/** Nothing behind the decimals: `12.-`, `12,--`. */
const ROUND = /(?<=\d)[.,](?:--?|[\u2013\u2014])$/
/** SAP's `1,00-`, and what banks write of a debit: `12,50 S`, `12.50 DR`. */
const NEGATIVE = /^([\d.,'’\u00A0\u202F\u2009 ]*\d)\s?(?:[-\u2212]|S|DR|Dr)$/
const BRACKETS = /^\(([^()+-]+)\)$/
const POSITIVE = /^([\d.,'’\u00A0\u202F\u2009 ]*\d)(?:\+|\s?(?:H|CR|Cr))$/

function withoutSigns(cell: string): { readonly number: string; readonly unit: string } {
  const text = cell.trim()
  if (text.length > LONGEST) return { number: text, unit: '' }
  const signed = text
    .replace(MINUS, '-')
    .replace(/^([+-]) (?=[\d.,])/, '$1')
    .replace(BRACKETS, (_, inner: string) => `-${inner.trim()}`)
  const unit = BEFORE.exec(signed)?.[2] ?? AFTER.exec(signed)?.[1] ?? ''
  const bare = signed
    .replace(BEFORE, '$1')
    .replace(AFTER, '')
    .replace(ROUND, '')
    .replace(MINUS, '-')
    .replace(BRACKETS, (_, inner: string) => `-${inner.trim()}`)
    .replace(NEGATIVE, '-$1')
    .replace(POSITIVE, '$1')
  return { number: GROUPED.test(bare) ? bare.replaceAll(/['’\s]/g, '') : bare, unit }
}
