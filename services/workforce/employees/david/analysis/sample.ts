/** A table made ready for tests: ranks, order in time, and which columns say something. */
import type { NumberColumn, Table, TimeColumn } from '../table/columns.ts'
import { isYearName } from '../table/digit-times.ts'
import { orderOf, persistence, ranksOf, ranksWithin, sortedOf } from './statistics/ranks.ts'

export interface Sample {
  readonly table: Table
  /** Columns of numbers that change and do not just count the rows. */
  readonly numbers: readonly Ranked[]
  /** The column that says when; undefined where there is none. */
  readonly axis: Axis | undefined
  /** Columns of numbers that say the same as the axis, such as 2026.25. */
  readonly saysTime: readonly string[]
  /** Columns left out as there are too many. */
  readonly left: number
}

export interface Ranked {
  readonly column: NumberColumn
  /** Among all known values of the column. */
  readonly ranks: Float64Array
  /** The rows whose value is known, the smallest first. */
  readonly order: Uint32Array
  /** The values that are known, the smallest first. */
  readonly sorted: Float64Array
  /** How like each value is the one before it in time; 0 where there is no time. */
  readonly persistence: number
}

export interface Axis {
  readonly column: TimeColumn
  /** The rows whose time is known, the earliest first. */
  readonly order: Uint32Array
}

const YEARS = { from: 1600, to: 2200 }
/** What all pairs of columns together may cost, in rows. */
const MOST_WORK = 300_000_000
const MOST_COLUMNS = 100

/** `times` names the column that says when; the first of the times, years last, where it is not named. */
export function sampleOf(table: Table, times: string | undefined): Sample {
  const most = Math.min(MOST_COLUMNS, Math.max(10, Math.floor(Math.sqrt((2 * MOST_WORK) / Math.max(1, table.rows)))))
  const columns = table.columns.slice(0, most)
  const found = columns.filter((column): column is TimeColumn => column.type === 'time')
  const finer = found.find(({ name }) => !isYearName(name))
  const when = times === undefined ? (finer ?? found[0]) : found.find(({ name }) => name === times)
  const axis = when && axisOf(when)
  const numbers = columns.filter((column): column is NumberColumn => column.type === 'number' && !isCounter(column))
  const saysTime = numbers.filter(column => axis && isTimeOf(column, axis))
  return {
    table: { ...table, columns },
    numbers: numbers.flatMap(column => (saysTime.includes(column) ? [] : rankedOf(column, axis))),
    axis,
    saysTime: saysTime.map(({ name }) => name),
    left: table.columns.length - columns.length,
  }
}

/** Ranks among those rows alone that have a group of at least 0; the whole column's where all have one. */
export function ranksAmong({ ranks, order }: Ranked, groups: Int32Array): Float64Array {
  const isWhole = order.every(row => (groups[row] ?? -1) >= 0)
  return isWhole
    ? ranks
    : ranksWithin(
        ranks,
        order,
        groups.map(group => Math.min(group, 0)),
        1,
      )
}

/** So many independent rows say as much as these, where each is like the one before it (Bartlett 1946, for a first-order process). */
export const effective = (n: number, persistent: number): number => (n * (1 - persistent)) / (1 + persistent)

function axisOf(column: TimeColumn): Axis | undefined {
  const rows = new Uint32Array(column.values.length)
  let known = 0
  column.values.forEach((at, row) => {
    if (!Number.isNaN(at)) rows[known++] = row
  })
  const at = (row: number) => column.values[row] ?? 0
  const order = rows.slice(0, known)
  if (order.some((row, i) => i > 0 && at(row) < at(order[i - 1] ?? 0))) order.sort((a, b) => at(a) - at(b) || a - b)
  return at(order[0] ?? 0) === at(order[known - 1] ?? 0) ? undefined : { column, order }
}

function rankedOf(column: NumberColumn, axis: Axis | undefined): Ranked[] {
  const sorted = sortedOf(column.values)
  if (sorted.length === 0 || sorted[0] === sorted.at(-1)) return []
  const ranks = ranksOf(column.values, sorted)
  return [{ column, ranks, order: orderOf(ranks), sorted, persistence: axis ? persistence(inOrder(ranks, axis)) : 0 }]
}

/** The ranks that are known, in the order of time. */
function inOrder(ranks: Float64Array, { order }: Axis): Float64Array {
  const result = new Float64Array(order.length)
  let known = 0
  for (const row of order) {
    const rank = ranks[row] ?? Number.NaN
    if (!Number.isNaN(rank)) result[known++] = rank
  }
  return result.subarray(0, known)
}

/** Whether the numbers are the years of the axis with their fractions, to the month. */
function isTimeOf({ values }: NumberColumn, { column, order }: Axis): boolean {
  const known = order.filter(row => !Number.isNaN(values[row] ?? Number.NaN))
  const isTime = (row: number) => Math.abs((values[row] ?? 0) - 1970 - (column.values[row] ?? 0) / YEAR) < 0.1
  return known.length > 2 && known.every(isTime)
}

/** In milliseconds. */
const YEAR = 365.2425 * 86_400_000

/** 1, 2, 3 …, each once: the rows' own numbers. Years come one after the other as well, and say something. */
function isCounter({ values }: NumberColumn): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (!Number.isInteger(value)) return false
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  const areYears = least >= YEARS.from && most <= YEARS.to
  return !areYears && most - least + 1 === values.length && values.length > 2 && new Set(values).size === values.length
}
