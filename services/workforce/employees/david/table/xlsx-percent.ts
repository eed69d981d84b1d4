/** Cells of a workbook that a spreadsheet shows as percentages: 0.12 as 12 %. The library that reads the values tells no styles. */
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
export function* percentCells(parts: Parts, sheet: number): Generator<CellPlace> {
  const styles = percentStyles(parts)
  if (styles.size === 0) return
  for (const { attributes } of tagsOf(parts, sheetPath(parts, sheet), ['c'])) {
    if (!styles.has(Number(attributes.get('s') ?? Number.NaN))) continue
    const [, letters = '', digits = ''] = /^([A-Z]+)(\d+)$/.exec(attributes.get('r') ?? '') ?? []
    yield { row: Number(digits) - 1, column: columnOf(letters) - 1 }
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

/** The numbers by which cells name their style. */
function percentStyles(parts: Parts): ReadonlySet<number> {
  const formats = new Set(BUILT_IN)
  const styles = new Set<number>()
  let [isOfCells, style] = [false, 0]
  const path = pathOf(parts, 'Type', type => type.endsWith('/styles'))
  for (const { name, attributes } of tagsOf(parts, path, ['numFmt', 'cellStyleXfs', 'cellXfs', 'xf'])) {
    const format = attributes.get('numFmtId') ?? ''
    if (name === 'numFmt') {
      if (isPercent(attributes.get('formatCode') ?? '')) formats.add(format)
    } else if (name !== 'xf') isOfCells = name === 'cellXfs'
    else if (isOfCells) {
      if (formats.has(format)) styles.add(style)
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
