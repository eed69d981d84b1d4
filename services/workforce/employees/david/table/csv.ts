/** CSV as columns of texts: RFC 4180, with comma, semicolon, tab or bar, and with rows that are too short or too long. */
import { Refusal } from '../../src/brief.ts'
import { boundedCell, boundedSize, distinctNames, MOST, type RawTable } from './raw-table.ts'

/**
 * Reads in one pass, each sign once: a text of quotes takes as long as any. Ours because it is faster than `csv-parse`,
 * which the test holds it to. docs/decisions/data.md
 */
export function readCsv(text: string, param: string): RawTable {
  const columns: string[][] = []
  let rows = 0
  let [short, long] = [0, 0]
  const names: string[] = []
  for (const row of rowsOf(text, param)) {
    if (names.length === 0) {
      boundedSize(0, row.length, param)
      names.push(...row)
      for (const _ of row) columns.push([])
      continue
    }
    if (row.length < names.length) short++
    else if (row.slice(names.length).some(cell => cell !== '')) long++
    for (let at = 0; at < names.length; at++) columns[at]?.push(row[at] ?? '')
    rows++
    if (rows > MOST.rows || rows * names.length > MOST.cells) boundedSize(rows, names.length, param)
  }
  if (names.length === 0) throw new Refusal(param, 'The table is empty.')
  const warnings = [
    ...(names.every(name => name === '') ? ['The first row is empty: the columns have no names.'] : []),
    ...(short > 0 ? [`${rowsSaid(short)} fewer cells than the header: the others are missing.`] : []),
    ...(long > 0 ? [`${rowsSaid(long)} more cells than the header: those are left out.`] : []),
  ]
  return { names: distinctNames(names), columns, rows, warnings }
}

const rowsSaid = (count: number) => (count === 1 ? 'One row has' : `${count} rows have`)

/**
 * The rows as they are written, the header too, without those that are empty below it; each up to one cell more than the most
 * columns. Throws a `Refusal` for a cell that is too long or swallows all rows, and for too many lines.
 */
export function* rowsOf(given: string, param: string): Generator<string[]> {
  const text = given.startsWith('\uFEFF') ? given.slice(1) : given
  const [ahead = '', said] = FROM_EXCEL.exec(text.slice(0, 16)) ?? []
  const delimiter = said ?? delimiterOf(text)
  let row: string[] = []
  const add = (cell: string) => {
    if (row.length <= MOST.columns) row.push(boundedCell(cell, param))
  }
  const next = { delimiter: -1, newline: -1, return: -1 }
  const find = (which: keyof typeof next, sign: string, from: number) => {
    if (next[which] < from) {
      const found = text.indexOf(sign, from)
      next[which] = found < 0 ? text.length : found
    }
    return next[which]
  }
  let [at, lines, full] = [ahead.length, 0, 0]
  while (at < text.length) {
    if (row.length === 0 && (text[at] === '\n' || text[at] === '\r')) {
      at++
      continue
    }
    let start = ''
    if (text[at] === '"') {
      const closed = closingQuote(text, at + 1)
      const quoted = text.slice(at + 1, closed)
      if (closed === text.length && /[\r\n]/.test(quoted.trimEnd())) throw neverClosed(full, param)
      // What is too long also with half of its signs is not read.
      start = quoted.length > 2 * MOST.characters ? quoted : quoted.replaceAll('""', '"')
      at = Math.min(closed + 1, text.length)
    }
    const end = Math.min(find('delimiter', delimiter, at), find('newline', '\n', at), find('return', '\r', at))
    add(start + text.slice(at, end))
    at = end + 1
    if (text[end] === delimiter && at < text.length) continue
    if (text[end] === delimiter) add('')
    if (text[end] === '\r' && text[at] === '\n') at++
    if (row.some(cell => cell !== '') || (full === 0 && row.length > 1)) {
      full++
      yield row
    }
    // A spreadsheet may have a million rows with nothing in them below the others.
    if (++lines > 2 * MOST.rows) boundedSize(lines, 1, param)
    row = []
  }
}

/** `rows`: how many are whole, the header too. */
const neverClosed = (rows: number, param: string) =>
  new Refusal(
    param,
    `A quote opens in ${rows === 0 ? 'the first row' : `row ${rows} below the first`} and is never closed: all that follows would be one cell. Close it, or double it where it belongs to the text.`,
  )

/** The line by which Excel is told what separates cells. */
const FROM_EXCEL = /^sep=([;,\t|])(?:\r\n|\r|\n)/i

/** Where the quote is that ends a cell: one that is not doubled. The end of the text where there is none. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return text.length
}

/** What every one of the first lines has, most often; where rows are too short for that, what the header has. Commas last, as names have them too. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, 100_000)
    .replaceAll(/"[^"]*"/g, '')
    .trimStart()
    .split(/\r\n|\r|\n/, LINES)
    .filter(line => line.trim() !== '')
  const times = (sign: string, line = '') => line.split(sign).length - 1
  const least = (sign: string) => Math.min(...lines.map(line => times(sign, line)))
  const most = (count: (sign: string) => number) =>
    SIGNS.reduce((best, sign) => (count(sign) > count(best) ? sign : best))
  const found = most(least)
  if (least(found) > 0 && lines.length > 0) return found
  const inHeader = most(sign => times(sign, lines[0]))
  return times(inHeader, lines[0]) > 0 ? inHeader : ','
}

const LINES = 10
const SIGNS = [';', '\t', '|', ','] as const
