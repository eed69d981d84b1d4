/** JSON as columns: rows that are objects, in a list or one on each line. */
import { Refusal } from '../../src/brief.ts'
import { shown } from './foreign-text.ts'
import { isInCalendar } from './moment.ts'
import { boundedCell, boundedSize, distinctNames, MOST, type RawTable, type Value } from './raw-table.ts'

export function readJson(text: string, param: string): RawTable {
  const value = parsed(text.trim(), param, '')
  if (!Array.isArray(value)) throw new Refusal(param, 'The JSON is no list. Send a list of objects, one for each row.')
  return readRows(value, param)
}

export function readJsonLines(text: string, param: string): RawTable {
  const rows: unknown[] = []
  let line = 0
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    const part = text.slice(at, end).trim()
    line++
    if (part !== '') rows.push(parsed(part, param, ` in line ${line}`))
    if (rows.length > MOST.rows) boundedSize(rows.length, 1, param)
    at = end + 1
  }
  return readRows(rows, param)
}

/** A column for each name that stands in a row; what is nested is text. */
export function readRows(rows: readonly unknown[], param: string): RawTable {
  const places = new Map<string, number>()
  rows.forEach((row, i) => {
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw new Refusal(param, `Row ${i + 1} is no object. Send a list of objects, one for each row.`)
    for (const name of Object.keys(row)) if (!places.has(name)) places.set(name, places.size)
    if (places.size > MOST.columns) boundedSize(rows.length, places.size, param)
  })
  boundedSize(rows.length, places.size, param)
  if (places.size === 0) throw new Refusal(param, 'The table is empty.')
  const columns = Array.from({ length: places.size }, () => new Array<Value>(rows.length).fill(null))
  rows.forEach((row, i) => {
    for (const [name, value] of Object.entries(row as object)) {
      const column = columns[places.get(name) ?? 0]
      if (column) column[i] = cellOf(value, param)
    }
  })
  return { names: distinctNames([...places.keys()]), columns, rows: rows.length, warnings: [] }
}

/** What JSON, or a file of columns, can hold, as the value of a cell. */
export function cellOf(value: unknown, param: string): Value {
  if (value === null || value === undefined) return null
  // What is infinite is told of with the column.
  if (typeof value === 'number') return Number.isNaN(value) ? null : value
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return boundedCell(value, param)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Date) return isInCalendar(value.getTime()) ? value : null
  return boundedCell(nestedText(value, param), param)
}

function nestedText(value: unknown, param: string): string {
  try {
    return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)) ?? ''
  } catch (cause) {
    // Out of stack, or longer than a text can be.
    if (!(cause instanceof RangeError)) throw cause
    throw new Refusal(param, 'A cell is nested too deeply. Flatten it, or leave its column out.')
  }
}

function parsed(text: string, param: string, where: string): unknown {
  try {
    return LONG.test(text) ? JSON.parse(text, exact) : JSON.parse(text)
  } catch (cause) {
    throw new Refusal(param, `The JSON can't be read${where}: ${shown(cause instanceof Error ? cause.message : '')}.`)
  }
}

const LONG = /(?<![\d.])\d{16}/

/** Whole numbers that a number can't tell apart, as they are written. */
const exact = (_: string, value: unknown, context?: { readonly source?: string }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? context?.source
    : value
