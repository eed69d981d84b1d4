/** Cells that a spreadsheet shows otherwise than they are: 0.12 as 12 %, 1067 as 01067. The library that reads the values tells no styles. */
import { type DigitFormat, digitFormat, MOST_CODE } from './digit-formats.ts'
import { shown } from './foreign-text.ts'
import { columnOf } from './xlsx-bounds.ts'
import { type Tag, tagsIn } from './xlsx-tags.ts'

/** From 0. */
interface CellPlace {
  readonly row: number
  readonly column: number
}

type Parts = ReadonlyMap<string, Uint8Array>

/** Those of the sheet with this number, from 0, in the order of the workbook; also cells without a value, and of text. */
export const percentCells = (parts: Parts, sheet: number): Generator<CellPlace> =>
  cellsOf(
    parts,
    sheet,
    stylesOf(parts, BUILT_IN, code => isPercent(code) || undefined),
  )

/** The rows of a sheet with its post codes and other codes as they are shown, as text. */
export function withZeros(parts: Parts, sheet: number, rows: Rows): Rows {
  const written = new Map<number, unknown[]>()
  for (const { row, column, value: format } of cellsOf(parts, sheet, stylesOf<DigitFormat>(parts, [], digitFormat))) {
    const cell = rows[row]?.[column]
    if (typeof cell !== 'number' || !Number.isSafeInteger(cell) || cell < 0) continue
    const code = format(cell)
    if (code === undefined) continue
    const cells = written.get(row) ?? [...(rows[row] ?? [])]
    cells[column] = code
    written.set(row, cells)
  }
  return written.size === 0 ? rows : rows.map((row, at) => written.get(at) ?? row)
}

type Rows = readonly (readonly unknown[])[]

/** Of styles, by number, with what is known of each. */
function* cellsOf<Value>(
  parts: Parts,
  sheet: number,
  styles: ReadonlyMap<number, Value>,
): Generator<CellPlace & { readonly value: Value }> {
  if (styles.size === 0) return
  for (const { attributes } of tagsOf(parts, sheetPath(parts, sheet), ['c'])) {
    const value = styles.get(Number(attributes.get('s') ?? Number.NaN))
    if (value === undefined) continue
    const [, letters = '', digits = ''] = /^([A-Z]+)(\d+)$/.exec(attributes.get('r') ?? '') ?? []
    yield { row: Number(digits) - 1, column: columnOf(letters) - 1, value }
  }
}

/** Of the part with the cells of a sheet, by its number from 0. */
export function sheetPath(parts: Parts, sheet: number): string {
  const named = [...tagsOf(parts, 'xl/workbook.xml', ['sheet'])].filter(({ attributes }) => attributes.get('name'))
  const [, id] = [...(named[sheet]?.attributes ?? [])].find(([attribute]) => /(?:^|:)id$/.test(attribute)) ?? []
  return pathOf(parts, 'Id', one => one === id)
}

/** Whether days are counted from 1904. */
export function isOf1904(parts: Parts): boolean {
  const [properties] = tagsOf(parts, 'xl/workbook.xml', ['workbookPr'])
  return /^(?:1|true)$/i.test(properties?.attributes.get('date1904') ?? '')
}

/** A fraction is what a spreadsheet calculates with, and what pandas and R read: it stays, and is told. `numbers`: how many all are. */
export function percentSaid(name: string, percentages: readonly number[], numbers: number): string[] {
  const example = percentages.find(value => value !== 0) ?? percentages[0]
  if (example === undefined) return []
  const others = numbers - percentages.length
  return [
    `${shown(name)} is shown as percentages and read as fractions: ${Number((example * 100).toPrecision(12))} % as ${example}.${
      others > 0 ? ` Its other numbers, ${others} of ${numbers}, are read as they are.` : ''
    }`,
  ]
}

function* tagsOf(parts: Parts, path: string, names: readonly string[]): Generator<Tag> {
  for (const tag of tagsIn(Buffer.from(parts.get(path) ?? []).toString('latin1'), names)) if (tag) yield tag
}

/** Of the part whose relation to the workbook has such an attribute. */
function pathOf(parts: Parts, attribute: string, is: (value: string) => boolean): string {
  const related = [...tagsOf(parts, 'xl/_rels/workbook.xml.rels', ['Relationship'])]
  const target = related.find(({ attributes }) => is(attributes.get(attribute) ?? ''))?.attributes.get('Target') ?? ''
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

/** By the numbers by which cells name their style, what is known of its format. `builtIn`: the numbers of formats, and what is known of them. */
function stylesOf<Value>(
  parts: Parts,
  builtIn: readonly (readonly [string, Value])[],
  known: (code: string) => Value | undefined,
): ReadonlyMap<number, Value> {
  const formats = new Map(builtIn)
  const styles = new Map<number, Value>()
  let [isOfCells, style] = [false, 0]
  const path = pathOf(parts, 'Type', type => type.endsWith('/styles'))
  for (const { name, attributes } of tagsOf(parts, path, ['numFmt', 'cellStyleXfs', 'cellXfs', 'xf'])) {
    const format = attributes.get('numFmtId') ?? ''
    if (name === 'numFmt') {
      const value = known(attributes.get('formatCode') ?? '')
      if (value !== undefined) formats.set(format, value)
    } else if (name !== 'xf') isOfCells = name === 'cellXfs'
    else if (isOfCells) {
      const value = formats.get(format)
      if (value !== undefined) styles.set(style, value)
      style++
    }
  }
  return styles
}

/** `0%` and `0.00%`. ECMA-376, part 1, section 18.8.30. */
const BUILT_IN = [
  ['9', true],
  ['10', true],
] as const

/** A sign that is quoted, escaped, or stands for a width, changes nothing of the number beside it. Takes linear time. */
const isPercent = (code: string): boolean =>
  code
    .slice(0, MOST_CODE)
    .replaceAll('&quot;', '"')
    .replaceAll(/"[^"]*"|[\\_*].|\[[^[\]]*\]/g, '')
    .includes('%')
