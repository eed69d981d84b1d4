/** Lines of dashes, and headers that come again between rows. */
import { readMoment } from './moment.ts'
import { readNumber } from './number.ts'
import { plainForm } from './number-form.ts'

/**
 * Of the rows that are as the header those that are no data: beside a line of dashes, or among numbers or times.
 * `again` has them with whether such a line is beside.
 */
export function headersAgain(
  header: readonly string[],
  columns: readonly (readonly string[])[],
  again: ReadonlyMap<number, boolean>,
): ReadonlySet<number> {
  if (again.size === 0) return new Set()
  const areMeasures = (column: readonly string[]) => {
    const others = column.filter((cell, row) => cell !== '' && !again.has(row))
    return others.length > 0 && (others.every(isNumber) || others.every(isTime))
  }
  const isSure = columns.some((column, at) => {
    const name = header[at] ?? ''
    return name !== '' && !isNumber(name) && !isTime(name) && areMeasures(column)
  })
  return new Set([...again].flatMap(([row, isBesideRule]) => (isSure || isBesideRule ? [row] : [])))
}

const isNumber = (text: string) => {
  const form = plainForm([text])
  const [cell = ''] = form === undefined || form === 'mixed' ? [] : form.cells
  return form !== undefined && (readNumber(cell, false) ?? readNumber(cell, true)) !== undefined
}

const isTime = (text: string) => (readMoment(text, 'day first') ?? readMoment(text, 'month first')) !== undefined

/** `rules`: behind how many rows each is; `repeated`: places of the rows, from 0. */
export function rulesSaid(rules: readonly number[], repeated: readonly number[]): readonly string[] {
  const [rule, header] = [rules[0], repeated[0]]
  const place = (behind: number) => (behind === 0 ? 'right below the header' : `below row ${behind}`)
  const kept = (rows: number) => rows - repeated.filter(row => row < rows).length
  return [
    ...(rule === undefined
      ? []
      : rules.length === 1
        ? [`One line of dashes, ${place(kept(rule))}, is left out.`]
        : [`${rules.length} lines of dashes are left out, the first ${place(kept(rule))}.`]),
    ...(header === undefined
      ? []
      : repeated.length === 1
        ? [`The header comes again ${place(header)} and is left out there.`]
        : [`The header comes again in ${repeated.length} rows, which are left out, the first ${place(header)}.`]),
  ]
}
