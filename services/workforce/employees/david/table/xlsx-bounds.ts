/** What a workbook says of its size, looked at before anything is read: entities, and cells in the farthest corner of a sheet. */
import { Refusal } from '../../src/brief.ts'
import { boundedSize } from './raw-table.ts'

export interface Oddities {
  /** A range of cells that are merged over rows below the first. */
  readonly merged?: string | undefined
  /** A cell whose formula has no result. */
  readonly uncounted?: string | undefined
  /** A cell with an error in place of a value. */
  readonly error?: string | undefined
}

/** Throws a `Refusal` for what is too large, and for XML that can do harm. */
export function boundedSheets(parts: ReadonlyMap<string, Uint8Array>, param: string): Oddities {
  let [merged, uncounted, error]: (string | undefined)[] = []
  for (const part of parts.values()) {
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    // Nothing that a spreadsheet writes has entities of its own, or is in UTF-16.
    if (bytes.includes('<!') || (bytes[0] ?? 0) > 0xef || bytes.subarray(0, 4).includes(0))
      throw new Refusal(param, 'The workbook has XML that no spreadsheet writes. Save it again, or as CSV.')
    if (!bytes.includes('sheetData')) continue
    const text = bytes.toString('latin1')
    boundCells(text, param)
    merged ??= mergedIn(text)
    uncounted ??= UNCOUNTED.exec(text)?.[1]
    error ??= ERROR.exec(text)?.[1]
  }
  return { merged, uncounted, error }
}

const UNCOUNTED = /<c r="([A-Z]+\d+)"[^<>]*><f(?:\/>|[^<>]*>[^<>]*<\/f>)(?:<v\s?\/>|<v><\/v>)?<\/c>/

const ERROR = /<c r="([A-Z]+\d+)"[^<>]* t="e"/

function mergedIn(text: string): string | undefined {
  for (const [, from = '', to = ''] of text.matchAll(/<mergeCell ref="([A-Z]+\d+):([A-Z]+\d+)"/g))
    if (rowOf(from) !== rowOf(to) && rowOf(from) > 1) return `${from}:${to}`
  return undefined
}

const rowOf = (address: string) => Number(/\d+/.exec(address)?.[0])

function boundCells(text: string, param: string): void {
  let [rows, columns] = [0, 0]
  for (const [, , address = ''] of text.matchAll(/<(?:\w+:)?(?:c|row)\s(?:[^<>]*?\s)?r\s*=\s*(["'])([^"'>]*)\1/g)) {
    const place = /^([A-Z]{0,3})(\d{1,7})$/.exec(address)
    if (place === null) throw new Refusal(param, 'The workbook has a cell without a place. Save it again, or as CSV.')
    rows = Math.max(rows, Number(place[2]))
    columns = Math.max(columns, columnOf(place[1] ?? ''))
  }
  boundedSize(rows, columns, param)
}

const columnOf = (letters: string) =>
  [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0)
