/** A header of several rows as pandas writes it: `,sales,sales`, below it `,2025,2026`, below it the names of the index. */
import { readNumber } from './number.ts'
import { isNothing } from './reading.ts'

type Row = readonly string[]

export interface HeaderLevels {
  readonly names: readonly string[]
  /** How many rows the header has. */
  readonly levels: number
}

/** How many levels of names are looked at. */
const MOST = 4

/** Undefined where the rows are no such header. `rows` begin with the header. */
export function headerLevels(rows: readonly Row[]): HeaderLevels | undefined {
  const [top = [], second = []] = rows
  const groups = carried(top)
  const hasGaps = top.slice(top.findIndex(cell => !isEmpty(cell))).some(isEmpty)
  if (!isRepeated(groups) || (hasGaps && !isEmpty(top[0]))) return undefined
  for (let index = 2; index <= MOST; index++) {
    const names = rows[index] ?? []
    const leading = names.findIndex(isEmpty)
    if (leading < 1 || top.length - leading < 2 || !names.slice(leading).every(isEmpty)) continue
    // Of an ordinary table the first column has a name.
    const isNamed = !isEmpty(top[leading - 1])
    if (isNamed && (isEmpty(second[leading - 1]) || !areNames(second.slice(leading)))) continue
    if (areLevels([groups, ...rows.slice(1, index)], leading))
      return { names: joined([groups, ...rows.slice(1, index)], leading, names), levels: index + 1 }
  }
  const leading = second.findIndex(cell => !isEmpty(cell))
  const below = rows.slice(2, 7)
  if (leading < 0 || !areLevels([second], leading) || below.length === 0 || below.some(row => isEmpty(row[0])))
    return undefined
  const parts = second.slice(leading)
  const isOfValues = parts.every((_, at) => below.every(row => isValue(row[at + leading] ?? '')))
  const isOfYears = parts.every((_, at) => below.every(row => YEAR.test(row[at + leading] ?? '')))
  const names = joined([groups, second], leading, top)
  return isOfValues && areNames(parts) && !isOfYears && new Set(names).size === names.length
    ? { names, levels: 2 }
    : undefined
}

const YEAR = /^(?:19|20)\d{2}$/

const areNames = (cells: Row) => cells.every(cell => YEAR.test(cell)) || !cells.some(isValue)

const isEmpty = (cell = '') => cell.trim() === ''

const isValue = (cell: string) => isNothing(cell) || (readNumber(cell, false) ?? readNumber(cell, true)) !== undefined

const isRepeated = (row: Row) => {
  const names = row.filter(cell => !isEmpty(cell))
  return new Set(names).size < names.length
}

/** Names of merged cells, which stand in the first of them. */
function carried(row: Row): Row {
  let last = ''
  return row.map(cell => {
    last = isEmpty(cell) ? last : cell.trim()
    return last
  })
}

/** Whether each has a name for every column behind the index. */
const areLevels = (rows: readonly Row[], leading: number) =>
  rows.every(row => row.slice(0, Math.max(0, leading - 1)).every(isEmpty) && !row.slice(leading).some(isEmpty))

const joined = (levels: readonly Row[], leading: number, index: Row) =>
  (levels[0] ?? []).map((_, at) =>
    at < leading ? (index[at] ?? '').trim() : levels.map(level => (level[at] ?? '').trim()).join(' '),
  )
