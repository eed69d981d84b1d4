/** CSV as columns of texts: RFC 4180, with comma, semicolon, tab or bar, and with rows that are too short or too long. */
import { Refusal } from '../../src/brief.ts'
import { delimiterOf } from './delimiter.ts'
import { shown } from './foreign-text.ts'
import { HEAD, layoutOf } from './layout.ts'
import { boundedCell, boundedSize, distinctNames, MOST, type RawTable } from './raw-table.ts'
import { headersAgain, rulesSaid } from './repeats.ts'

/**
 * Reads in one pass, each sign once: a text of quotes takes as long as any. Ours because it is faster than `csv-parse`,
 * which the test holds it to. docs/decisions/data.md
 */
export function readCsv(text: string, param: string, headerRow?: number): RawTable {
  const head: string[][] = []
  const { delimiter, rows, marks } = rowsOf(text, param)
  for (let next = rows.next(); !next.done; next = rows.next()) {
    head.push(next.value)
    if (head.length === HEAD) break
  }
  const width = Math.max(0, ...head.map(row => row.length))
  boundedSize(0, width, param)
  const isRule = (row: readonly string[]) => width > 1 && marks.dashes.has(row)
  if (!head.some(row => row.length > 1 || row[0])) throw new Refusal(param, 'The table is empty.')
  const { names, skipped, warnings } = layoutOf(
    head.map(row => (isRule(row) ? [] : row)),
    headerRow,
    param,
  )
  const columns: string[][] = names.map(() => [])
  const header = head[skipped - 1]
  const isAgain = (row: readonly string[]) =>
    names.length > 1 && row[0] === header?.[0] && header?.every((cell, at) => cell === row[at]) === true
  /** Rows that are as the header, and whether a line of dashes is right above or below. */
  const again = new Map<number, boolean>()
  /** Behind how many rows each line of dashes is. */
  const rules: number[] = []
  let [count, short, long, last] = [0, 0, 0, -1]
  /** From 1; 0 for the header. */
  let escaped = marks.escaped === undefined ? undefined : 0
  const add = (row: readonly string[]) => {
    if (names.length > 1 && isRule(row)) {
      rules.push(count)
      if (again.has(count - 1)) again.set(count - 1, true)
      // One right below the header belongs to it.
      if (count > 0) last = count
      return
    }
    if (isAgain(row)) again.set(count, last === count)
    if (row.length < names.length) short++
    else if (row.length > names.length && row.slice(names.length).some(cell => cell !== '')) long++
    for (let at = 0; at < names.length; at++) columns[at]?.push(row[at] ?? '')
    count++
    if (row === marks.escaped) escaped = count
    if (count > MOST.rows || count * names.length > MOST.cells) boundedSize(count, names.length, param)
  }
  for (const row of head.slice(skipped)) if (row.some(cell => cell !== '')) add(row)
  for (const row of rows) add(row)
  const repeated = headersAgain(header ?? [], columns, again)
  count -= repeated.size
  // What is before the first bar and behind the last.
  const isFrame = (at: number) => delimiter === '|' && names[at] === '' && columns[at]?.every(cell => cell === '')
  const kept = [...names.keys()].filter(at => !isFrame(at))
  return {
    names: distinctNames(kept.map(at => names[at] ?? '')),
    columns: kept.map(at => without(columns[at] ?? [], repeated)),
    rows: count,
    separator: delimiter,
    warnings: [
      ...warnings,
      ...(short > 0 ? [`${rowsSaid(short)} fewer cells than the header: the others are missing.`] : []),
      ...rulesSaid(rules, [...repeated]),
      ...(escaped === undefined ? [] : [escapedSaid(escaped)]),
      ...spacedSaid(names, header, columns),
      ...(long > 0 ? [`${rowsSaid(long)} more cells than the header: those are left out.`] : []),
    ],
  }
}

const without = (column: string[], rows: ReadonlySet<number>) =>
  rows.size === 0 ? column : column.filter((_, row) => !rows.has(row))

const escapedSaid = (row: number) =>
  `Quotes in cells are written as \\", first in ${row === 0 ? 'the header' : `row ${row}`}: \\" is read as a quote and \\\\ as one backslash.`

/** One column in which all rows have as many words, at least two of them numbers: what R and `to_string` write. */
function spacedSaid(names: readonly string[], header: readonly string[] | undefined, columns: readonly string[][]) {
  const [cells = []] = columns
  const rows = cells.slice(0, HEAD).map(words)
  const width = rows[0]?.length ?? 0
  const isSpaced =
    names.length === 1 &&
    rows.length > 1 &&
    rows.every(row => row.length === width) &&
    [0, 1].includes(width - words(header?.[0] ?? '').length) &&
    (rows[0] ?? []).filter((_, at) => rows.every(row => /^(?:-?\d+(?:\.\d+)?|NA|NaN)$/.test(row[at] ?? ''))).length > 1
  return isSpaced
    ? [
        `The table is read as one column, as in ${shown(cells[0] ?? '')} in row 1 only spaces are between the values. Separate them with commas or tabs.`,
      ]
    : []
}

const words = (text: string) => text.trim().split(/\s+/)

const rowsSaid = (count: number) => (count === 1 ? 'One row has' : `${count} rows have`)

/** The rows as they are written: see `split`. */
function rowsOf(given: string, param: string) {
  const text = given.startsWith('\uFEFF') ? given.slice(1) : given
  const { delimiter, ahead } = delimiterOf(text)
  const marks: Marks = { dashes: new WeakSet<readonly string[]>() }
  return { delimiter, marks, rows: split(text, delimiter, ahead, param, marks) }
}

/** Of rows that were read. */
interface Marks {
  /** Those that are lines of dashes. */
  readonly dashes: WeakSet<readonly string[]>
  /** The first with a quote behind a backslash, where that is how quotes are written. */
  escaped?: readonly string[]
}

/**
 * The rows as they are written, of the first also those that are blank; each up to one cell more than the most columns. Throws a
 * `Refusal` for a cell that is too long or swallows all rows, and for too many lines. Fills `marks`.
 */
function* split(text: string, delimiter: string, from: number, param: string, marks: Marks): Generator<string[], void> {
  let row: string[] = []
  let isQuoted = false
  const add = (cell: string) => {
    if (row.length <= MOST.columns) row.push(boundedCell(delimiter === '|' ? cell.trim() : cell, param))
  }
  const next = { delimiter: -1, newline: -1, return: -1 }
  const find = (which: keyof typeof next, sign: string, from: number) => {
    if (next[which] < from) {
      const found = text.indexOf(sign, from)
      next[which] = found < 0 ? text.length : found
    }
    return next[which]
  }
  const isEscaped = hasEscapes(text, delimiter)
  let [at, lines, full, total] = [from, 0, 0, 0]
  while (at < text.length) {
    if (row.length === 0 && (text[at] === '\n' || text[at] === '\r')) {
      at += text.startsWith('\r\n', at) ? 2 : 1
      if (++total <= HEAD) yield []
      continue
    }
    let start = ''
    // `="01067"`, by which programs keep spreadsheets from reading a number.
    if (text[at] === '=' && text[at + 1] === '"') at++
    if (text[at] === '"') {
      isQuoted = true
      const closed = closingQuote(text, at + 1, isEscaped)
      const quoted = text.slice(at + 1, closed)
      if (closed === text.length && /[\r\n]/.test(quoted.trimEnd())) throw neverClosed(full, param)
      // What is too long also with half of its signs is not read.
      start = quoted.length > 2 * MOST.characters ? quoted : quoted.replaceAll('""', '"')
      if (isEscaped && /\\["\\]/.test(start)) {
        start = start.replaceAll(/\\(["\\])/g, '$1')
        marks.escaped ??= row
      }
      at = Math.min(closed + 1, text.length)
    }
    const end = Math.min(find('delimiter', delimiter, at), find('newline', '\n', at), find('return', '\r', at))
    add(start + text.slice(at, end))
    at = end + 1
    if (text[end] === delimiter && at < text.length) continue
    if (text[end] === delimiter) add('')
    if (text[end] === '\r' && text[at] === '\n') at++
    if (!isQuoted && isDashes(row, delimiter)) marks.dashes.add(row)
    const isFull = row.some(cell => cell !== '')
    if (isFull) full++
    if (++total <= HEAD || isFull) yield row
    // A spreadsheet may have a million rows with nothing in them below the others.
    if (++lines > 2 * MOST.rows) boundedSize(lines, 1, param)
    row = []
    isQuoted = false
  }
}

/** Whether it is a line between rows: one cell of at least five dashes, or at least three in every cell. */
function isDashes(row: readonly string[], delimiter: string): boolean {
  if (!/^[\s+:=-]*$/.test(row[0] ?? '')) return false
  const isFramed = delimiter === '|' && row.length > 2 && row[0] === '' && row.at(-1) === ''
  const cells = isFramed ? row.slice(1, -1) : row
  return cells.length === 1 && !isFramed
    ? /^[\s+:=-]*$/.test(cells[0] ?? '') && /(?:-[+:=\s]*){5}/.test(cells[0] ?? '')
    : cells.every(cell => cell.includes('---') && /^[\s+:=-]*$/.test(cell))
}

/** `rows`: how many are whole, the header too. */
const neverClosed = (rows: number, param: string) =>
  new Refusal(
    param,
    `A quote opens in ${rows === 0 ? 'the first row' : `row ${rows} below the first`} and is never closed: all that follows would be one cell. Close it, or double it where it belongs to the text.`,
  )

/**
 * Whether quotes in cells are written `\"`, as MySQL and Spark write them: behind one of them the quoted cell goes on. Elsewhere
 * the backslash is one of the text, as in `"C:\dir\",` and `\""`, also with spaces between, and in `5\" pipe` without quotes.
 */
function hasEscapes(text: string, delimiter: string): boolean {
  if (!text.includes('\\"')) return false
  let isInside = false
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    if (!isBehindBackslash(text, 0, at)) isInside = !isInside
    else if (isInside) {
      let place = at + 1
      while (text[place] === ' ') place++
      const next = text[place]
      if (next !== undefined && next !== '"' && next !== '\r' && next !== '\n' && next !== delimiter) return true
    }
  }
  return false
}

/** Where the quote is that ends a cell: one that is not doubled, nor behind a backslash where `isEscaped`. The end of the text where there is none. */
function closingQuote(text: string, from: number, isEscaped: boolean): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    if (isEscaped && isBehindBackslash(text, from, at)) continue
    if (text[at + 1] !== '"') return at
    at++
  }
  return text.length
}

function isBehindBackslash(text: string, from: number, quote: number): boolean {
  let at = quote
  while (at > from && text[at - 1] === '\\') at--
  return (quote - at) % 2 === 1
}
