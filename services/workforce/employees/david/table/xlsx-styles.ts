/** Cells that a spreadsheet shows otherwise than they are: 0.12 as 12 %, 1067 as 01067. The library that reads the values tells no styles. */
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
    stylesOf(parts, BUILT_IN, code => (isPercent(code) ? 1 : 0)),
  )

/** The rows of a sheet with zeros in front where its post codes and other codes are shown so, as text. */
export function withZeros(parts: Parts, sheet: number, rows: Rows): Rows {
  const written = new Map<number, unknown[]>()
  for (const { row, column, value } of cellsOf(parts, sheet, stylesOf(parts, [], digitsOf))) {
    const cell = rows[row]?.[column]
    if (typeof cell !== 'number' || !Number.isInteger(cell) || cell < 0) continue
    const cells = written.get(row) ?? [...(rows[row] ?? [])]
    cells[column] = String(cell).padStart(value, '0')
    written.set(row, cells)
  }
  return written.size === 0 ? rows : rows.map((row, at) => written.get(at) ?? row)
}

type Rows = readonly (readonly unknown[])[]

/** Of `00000`. Fewer than four are of hours and months. */
const digitsOf = (code: string) => /^0{4,15}$/.exec(code)?.[0].length ?? 0

/** Of styles, by number, with what is known of each. */
function* cellsOf(
  parts: Parts,
  sheet: number,
  styles: ReadonlyMap<number, number>,
): Generator<CellPlace & { readonly value: number }> {
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

/** The numbers by which cells name their style, of those formats that are built in or for which `numberOf` is above zero, with that. */
function stylesOf(
  parts: Parts,
  builtIn: readonly string[],
  numberOf: (code: string) => number,
): ReadonlyMap<number, number> {
  const formats = new Map(builtIn.map(format => [format, 1]))
  const styles = new Map<number, number>()
  let [isOfCells, style] = [false, 0]
  const path = pathOf(parts, 'Type', type => type.endsWith('/styles'))
  for (const { name, attributes } of tagsOf(parts, path, ['numFmt', 'cellStyleXfs', 'cellXfs', 'xf'])) {
    const format = attributes.get('numFmtId') ?? ''
    if (name === 'numFmt') {
      const value = numberOf(attributes.get('formatCode') ?? '')
      if (value > 0) formats.set(format, value)
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
const BUILT_IN = ['9', '10']

/** Excel's are at most 255 characters, each of which may be written as `&quot;`. */
const MOST_CODE = 2_000

/** A sign that is quoted, escaped, or stands for a width, changes nothing of the number beside it. Takes linear time. */
const isPercent = (code: string): boolean =>
  code
    .slice(0, MOST_CODE)
    .replaceAll('&quot;', '"')
    .replaceAll(/"[^"]*"|[\\_*].|\[[^[\]]*\]/g, '')
    .includes('%')
