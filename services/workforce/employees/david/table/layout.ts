/** Where the table of a sheet begins: titles and comments above the header, no header, names of rows without a name. */
import { Refusal } from '../../src/brief.ts'
import { shown } from './foreign-text.ts'
import { headerLevels } from './header-levels.ts'
import { readMoment } from './moment.ts'
import { readNumber } from './number.ts'
import { plainForm } from './number-form.ts'
import { isNothing } from './reading.ts'

export interface Layout {
  readonly names: readonly string[]
  /** How many of the first rows are no rows of the table. */
  readonly skipped: number
  readonly warnings: readonly string[]
}

/** How many of the first rows, blank ones as well, the layout is seen in. */
export const HEAD = 60

type Row = readonly string[]

/**
 * `rows` are the first, blank ones too, as they are written. `headerRow` counts them from 1; 0 where there is no header. Throws a
 * `Refusal` where it is not among them.
 */
export function layoutOf(rows: readonly Row[], headerRow: number | undefined, param: string): Layout {
  if (headerRow !== undefined) return namedHeader(rows, headerRow, param)
  const top = rows.findIndex(isFilled)
  const levels = headerLevels(rows.slice(top))
  if (levels !== undefined)
    return {
      names: levels.names,
      skipped: top + levels.levels,
      warnings: [`The header has ${levels.levels} rows: ${shown(levels.names.at(-1) ?? '')} is one of its names.`],
    }
  const from = startOf(rows)
  const first = rows[from] ?? []
  const below = rows.slice(from + 1).filter(isFilled)
  const above = rows.slice(0, from).filter(isFilled)
  const group = groupsAbove(rows, from)
  const titles = group ? above.slice(0, -1) : above
  const skippedSaid = titles.length > 0 ? [leftOut(titles)] : []
  if (!isHeader(first, below)) {
    const isBlank = rows.slice(0, from).some(row => row.length > 1)
    return {
      names: first.map(() => ''),
      skipped: from,
      warnings: [
        ...skippedSaid,
        `${isBlank ? 'The first row is empty' : `There is no header: the first row, with ${shown(first.find(cell => cell.trim() !== '') ?? '')}, is one of values`}, and the columns have no names. Say \`header_row\` if there is one.`,
      ],
    }
  }
  return {
    ...headed(first, below, group),
    skipped: from + 1,
    warnings: [...skippedSaid, ...headed(first, below, group).warnings],
  }
}

function namedHeader(rows: readonly Row[], headerRow: number, param: string): Layout {
  const header = rows[headerRow - 1] ?? []
  if (headerRow === 0) {
    const from = rows.findIndex(isFilled)
    return { names: (rows[from] ?? []).map(() => ''), skipped: Math.max(0, from), warnings: [] }
  }
  if (!isFilled(header))
    throw new Refusal(param, `Row ${headerRow} is empty or not among the first ${HEAD}: it can't be the header.`)
  return { ...headed(header, rows.slice(headerRow).filter(isFilled), undefined), skipped: headerRow }
}

/** The names; where all rows have one cell more, the first is the name of a row, as R writes it. */
function headed(header: Row, below: readonly Row[], group: Row | undefined) {
  const names = group ? header.map((name, i) => `${group[i] ?? ''} ${name}`.trim()) : header
  const said = group
    ? [`The header has two rows: ${shown(names.find((_, i) => group[i] && header[i]) ?? '')} is one of its names.`]
    : []
  const isShort = below.length > 0 && below.every(row => row.length === header.length + 1 && row.at(-1)?.trim() !== '')
  return isShort && header.every(name => name.trim() !== '')
    ? {
        names: ['', ...names],
        warnings: [
          ...said,
          'The header has one name fewer than the rows have cells: the first cells are names of rows.',
        ],
      }
    : { names, warnings: said }
}

const isFilled = (row: Row) => row.some(cell => cell.trim() !== '')
const filled = (row: Row) => row.filter(cell => cell.trim() !== '').length

/** The first row that is as wide as the table is; that has names, where names come somewhere. */
function startOf(rows: readonly Row[]): number {
  const first = rows.findIndex(isFilled)
  if (first < 0) return 0
  const widths = rows.slice(first).filter(isFilled).map(filled)
  const usual = mode(widths)
  const places = [...rows.keys()].slice(first).filter(place => isFilled(rows[place] ?? []))
  const isComment = (place: number) => {
    const [row = [], next = []] = [rows[place], rows[places[places.indexOf(place) + 1] ?? -1]]
    if (!/^(?:#|\/\/|--)/.test(row[0]?.trim() ?? '')) return false
    return filled(row) !== filled(next) || (isWords(next) && !rows.slice(place + 2).every(isWords))
  }
  const start = places.find(place => !isComment(place)) ?? first
  if (usual < 2) return titleOfOneColumn(rows, start) ?? start
  const row = rows[start] ?? []
  // As pandas and R name all but the column of the rows' own names.
  if (row[0]?.trim() === '' && row.length === usual && filled(row) + 1 === usual) return start
  const isNarrow = filled(row) < usual || !isHeader(row, rows.slice(start + 1).filter(isFilled))
  const better = isNarrow ? places.find(place => place > start && isAbove(rows, place, usual)) : undefined
  if (better !== undefined) return better
  // A header that is as wide as the rows, with or without all of its names, or with one less.
  if (row.length >= usual && filled(row) * 2 > usual) return start
  if (filled(row) + 1 >= usual && filled(row) > 1) return start
  return places.find(place => place >= start && filled(rows[place] ?? []) >= usual) ?? start
}

/** Whether a row is of words and as wide as the table, with a column of values below it. */
function isAbove(rows: readonly Row[], place: number, usual: number): boolean {
  const row = rows[place] ?? []
  if (filled(row) + 1 < usual || !isWords(row)) return false
  const below = rows.slice(place + 1).filter(isFilled)
  return row.some((cell, at) => {
    if (isNothing(cell)) return false
    const cells = below.flatMap(other => other[at]?.trim() || [])
    return cells.length > 1 && cells.every(isValue)
  })
}

/** Words, a blank row, a word, and then numbers or times: the first are a title. */
function titleOfOneColumn(rows: readonly Row[], start: number): number | undefined {
  const header = rows.findIndex((row, place) => place > start + 1 && isFilled(row) && !isFilled(rows[place - 1] ?? []))
  const body = rows.slice(header + 1).filter(isFilled)
  const isTitled = header > 0 && isWords(rows[header] ?? []) && body.length > 1 && body.every(row => !isWords(row))
  return isTitled && rows.slice(start, header).filter(isFilled).every(isWords) ? header : undefined
}

/** The row right above the header, where it names groups of columns: `2025`, an empty cell, `2026`. */
function groupsAbove(rows: readonly Row[], header: number): Row | undefined {
  const above = rows[header - 1] ?? []
  const names = rows[header] ?? []
  const isGroup = filled(above) > 1 && filled(above) < filled(names) && above.length === names.length
  const completes =
    new Set(names).size < names.length || names.some((name, at) => name.trim() === '' && above[at] !== '')
  if (!isGroup || !completes) return undefined
  let last = ''
  return above.map(cell => {
    last = cell.trim() === '' ? last : cell.trim()
    return last
  })
}

function isHeader(row: Row, below: readonly Row[]): boolean {
  const cells = row.map(cell => cell.trim())
  const values = cells.filter(cell => cell !== '' && isValue(cell))
  if (values.length === 0) return true
  // `,0` as pandas writes it, and hours or years as names.
  const words = cells.filter(cell => cell === '' || !isValue(cell))
  if (words.length === 0) return false
  const isWithTimes = words.length === 1 && values.every(isTime) && new Set(values).size === values.length
  if (isWithTimes && below.length > 0 && below.every(other => other.slice(1).every(cell => !isTime(cell)))) return true
  const numbers = values.map(Number)
  const counts = numbers.every(
    (value, i) => Number.isInteger(value) && (i === 0 || value === (numbers[i - 1] ?? 0) + 1),
  )
  const isUnnamed = cells[0] === '' && numbers[0] === 0 && counts
  const areYears = numbers.every(value => value >= 1900 && value <= 2100) && counts
  const others = below.slice(0, 5)
  const place = cells.findIndex(cell => cell !== '' && isValue(cell))
  const isRepeated = others.some(other => other[place]?.trim() === cells[place])
  const isOfWords = (other: Row) => words.length === 1 && cells[0] !== '' && !isValue(other[0]?.trim() ?? '')
  if (isUnnamed) return true
  return !isRepeated && counts && (areYears || numbers.length > 1) && (areYears || !others.every(isOfWords))
}

/** A number or a time. */
const isValue = (cell: string) => {
  const form = plainForm([cell])
  const [number = ''] = form === undefined || form === 'mixed' ? [] : form.cells
  const value = readNumber(number, false) ?? readNumber(number, true)
  const isNumber = form !== undefined && value !== undefined && !Number.isNaN(value)
  return isNumber || isTime(cell)
}

const isTime = (cell: string) => (readMoment(cell, 'day first') ?? readMoment(cell, 'month first')) !== undefined

const isWords = (row: Row) => row.every(cell => cell.trim() === '' || !isValue(cell.trim()))

function mode(counts: readonly number[]): number {
  const groups = Map.groupBy(counts, count => count)
  return [...groups].reduce(
    (best, [count, { length }]) =>
      length > (groups.get(best)?.length ?? 0) || (length === groups.get(best)?.length && count > best) ? count : best,
    counts[0] ?? 0,
  )
}

const leftOut = (rows: readonly Row[]) => {
  const said = rows.slice(0, 3).map(row => shown(row.filter(cell => cell.trim() !== '').join(' ')))
  const more = rows.length > 3 ? ' and others' : ''
  return `${rows.length === 1 ? 'One row' : `${rows.length} rows`} above the header ${rows.length === 1 ? 'is' : 'are'} left out: ${said.join(', ')}${more}. Say \`header_row\` if one of them is the header.`
}
