/** The column of a table that says when, found by its cells. */
import { Refusal } from '../../../src/brief.ts'
import { digitTimes, isTimeName } from '../../table/digit-times.ts'
import { shown } from '../../table/foreign-text.ts'
import { readMoment } from '../../table/moment.ts'
import { readNumber } from '../../table/number.ts'
import { periods } from '../../table/periods.ts'

/** The first that is whole; undefined where there is none. Throws a `Refusal` where there is only one that is spoiled by other cells. */
export function timesColumn(
  names: readonly string[],
  sample: (index: number) => readonly string[],
  param: string,
  labels?: number,
): number | undefined {
  const places = [...names.keys()].filter(index => index !== labels)
  const period = places.find(index => periods(names[index] ?? '', sample(index)) !== undefined)
  if (period !== undefined) return period
  const found = places.map(index => timesIn(sample(index), names[index] ?? '', index === 0, names.length > 1))
  const whole = found.findIndex(times => times?.others.length === 0)
  if (whole >= 0) return places[whole]
  const spoiled = found.findIndex(times => times !== undefined)
  const { count = 0, others = [] } = found[spoiled] ?? {}
  const [other] = others
  if (other === undefined) return places.find(index => digitTimes(names[index] ?? '', sample(index)) !== undefined)
  const counted = others.length === 1 ? '1 cell that is none' : `${others.length} cells that are none`
  throw new Refusal(
    param,
    `${shown(names[places[spoiled] ?? 0] ?? '')} has ${count} times and ${counted}: ${shown(other.cell)}, in row ${other.row}. Leave such rows out, or write the time as 2026-01-31.`,
  )
}

/** Whether a column that can't be read as times is likely to hold them: by its name, or because it comes first and no text comes twice. */
export function looksLikeTimes(name: string, cells: readonly string[], isFirst: boolean): boolean {
  if (namesTimes(name)) return true
  const isNamed = cells.every(cell => /\d/.test(cell) && readNumber(cell, false) === undefined)
  return isFirst && cells.length > 0 && isNamed && new Set(cells).size === cells.length
}

/** `quarter` names times here alone: to an analysis `Q1` in such a column is a category. */
export const namesTimes = (name: string) => isTimeName(name) || /^(?:quarter|quartal|trimestre)$/i.test(name.trim())

interface Times {
  readonly count: number
  /** The cells that are no times; rows from 1, the header not counted. */
  readonly others: readonly { readonly cell: string; readonly row: number }[]
}

/** Undefined where not most cells are times. */
function timesIn(cells: readonly string[], name: string, isFirst: boolean, hasOthers: boolean): Times | undefined {
  const othersBy = (order: 'day first' | 'month first') =>
    cells.flatMap((cell, i) => (readMoment(cell, order) === undefined ? [{ cell, row: i + 1 }] : []))
  const [dayFirst, monthFirst] = [othersBy('day first'), othersBy('month first')]
  const others = dayFirst.length <= monthFirst.length ? dayFirst : monthFirst
  const count = cells.length - others.length
  if (count <= others.length) return undefined
  const out = new Set(others.map(({ row }) => row))
  const times = cells.filter((_, i) => !out.has(i + 1))
  if (!times.every(isNumberToo)) return { count, others }
  const isCalledSo = /date|time|year|day|month|period|jahr|datum|zeit|monat/i.test(name)
  return isCalledSo || (hasOthers && readsAsTimes(times, others, isFirst)) ? { count, others } : undefined
}

/** `2026`, `202601`, `20260131`, `01.2026`. */
const isNumberToo = (cell: string) => /^(\d+|\d{1,2}\.\d{4})$/.test(cell.trim())

/** Numbers count as times where they only rise or fall, come first or are all months, and nothing beside them is a number or missing. */
function readsAsTimes(times: readonly string[], others: Times['others'], isFirst: boolean): boolean {
  const at = times.map(cell => readMoment(cell, 'day first')?.at ?? Number.NaN)
  const runs = (sign: number) => at.every((one, i) => i === 0 || sign * (one - (at[i - 1] ?? 0)) > 0)
  const areMonths = times.every(cell => /^\d{6}$/.test(cell.trim()))
  return (
    (isFirst || areMonths) && (runs(1) || runs(-1)) && others.every(({ cell }) => readNumber(cell, false) === undefined)
  )
}
