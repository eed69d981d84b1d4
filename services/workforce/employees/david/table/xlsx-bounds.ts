/** What a workbook says of its size, looked at before anything is read: entities, and cells in the farthest corner of a sheet. */
import { Refusal } from '../../src/brief.ts'
import { boundedSize, MOST } from './raw-table.ts'
import { type Tag, tagsIn } from './xlsx-tags.ts'

interface Oddities {
  /** A range of cells that are merged over rows below the first. */
  readonly merged?: string | undefined
  /** A cell whose formula has no result. */
  readonly uncounted?: string | undefined
  /** A cell with an error in place of a value. */
  readonly error?: string | undefined
}

/** Throws a `Refusal` for what is too large, and for XML that can do harm. */
export function boundedSheets(parts: ReadonlyMap<string, Uint8Array>, param: string): void {
  let cells = 0
  for (const part of parts.values()) {
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    // Nothing that a spreadsheet writes has entities of its own, or is in UTF-16.
    if (bytes.includes('<!') || (bytes[0] ?? 0) > 0xef || bytes.subarray(0, 4).includes(0)) throw unwritten(param)
    if (['Relationship', 'sheet'].some(tag => bytes.includes(tag))) boundReferences(bytes.toString('latin1'), param)
    if (!bytes.includes('sheetData')) continue
    const text = bytes.toString('latin1')
    cells += cellsIn(text, param)
    if (cells > MOST.cells)
      throw new Refusal(
        param,
        `The sheets of the workbook have more than ${MOST.cells.toLocaleString('en-US')} cells together. Save the one that matters as CSV.`,
      )
  }
}

/** Of the XML of one sheet. */
export function odditiesOf(sheet: Uint8Array = new Uint8Array()): Oddities {
  const text = Buffer.from(sheet.buffer, sheet.byteOffset, sheet.byteLength).toString('latin1')
  return { merged: mergedIn(text), uncounted: UNCOUNTED.exec(text)?.[1], error: ERROR.exec(text)?.[1] }
}

const UNCOUNTED = /<c r="([A-Z]+\d+)"[^<>]*><f(?:\/>|[^<>]*>[^<>]*<\/f>)(?:<v\s?\/>|<v><\/v>)?<\/c>/

const ERROR = /<c r="([A-Z]+\d+)"[^<>]* t="e"/

function mergedIn(text: string): string | undefined {
  for (const [, from = '', to = ''] of text.matchAll(/<mergeCell ref="([A-Z]+\d+):([A-Z]+\d+)"/g))
    if (rowOf(from) !== rowOf(to) && rowOf(from) > 1) return `${from}:${to}`
  return undefined
}

const rowOf = (address: string) => Number(/\d+/.exec(address)?.[0])

const unwritten = (param: string) =>
  new Refusal(param, 'The workbook has XML that no spreadsheet writes. Save it again, or as CSV.')

function* knownTags(text: string, names: readonly string[], param: string): Generator<Tag> {
  for (const tag of tagsIn(text, names)) {
    if (tag === undefined) throw unwritten(param)
    yield tag
  }
}

/** A sheet that is named twice would be read twice. */
function boundReferences(text: string, param: string): void {
  const taken = new Set<string>()
  for (const { name, attributes } of knownTags(text, ['sheet', 'Relationship'], param)) {
    // A sheet that is a chart has no cells and is not read. Its part may be called as one of cells.
    const types = [...attributes].filter(([attribute]) => /(?:^|:)Type$/.test(attribute))
    const isChart = types.length === 1 && types.every(([, type]) => type.endsWith('/chartsheet'))
    for (const [attribute, value] of attributes) {
      const isReference = name === 'sheet' ? /(?:^|:)id$/.test(attribute) : attribute === 'Id'
      // Paths to one part may be written in several ways, but end with its name.
      const isTarget = name === 'Relationship' && !isChart && attribute === 'Target' && /sheet/i.test(value)
      if (!isReference && !isTarget) continue
      const key = `${name} ${attribute} ${isTarget ? value.slice(value.lastIndexOf('/') + 1) : value}`
      if (taken.has(key)) throw unwritten(param)
      taken.add(key)
    }
  }
}

/** Cells from A1 to the farthest row and the farthest column: those between are filled in when a sheet is read. */
function cellsIn(text: string, param: string): number {
  let [rows, columns] = [0, 0]
  for (const { name, attributes } of knownTags(text, ['c', 'row'], param)) {
    const address = attributes.get('r')
    // A row without a number is the next one; a cell has its place.
    const place = address === undefined && name === 'row' ? ['', '', `${rows + 1}`] : PLACE[name]?.exec(address ?? '')
    if (!place) throw new Refusal(param, 'The workbook has a cell without a place. Save it again, or as CSV.')
    rows = Math.max(rows, Number(place[2]))
    columns = Math.max(columns, columnOf(place[1] ?? ''))
  }
  boundedSize(rows, columns, param)
  return rows * columns
}

const PLACE: Readonly<Record<string, RegExp>> = { c: /^([A-Z]{1,3})(\d{1,7})$/, row: /^()(\d{1,7})$/ }

/** From 1. */
export const columnOf = (letters: string): number =>
  [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0)
