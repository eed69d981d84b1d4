/** The columns of a table that hold values to forecast. */
import { Refusal } from '../../../src/brief.ts'
import { isCodeName } from '../../table/codes.ts'
import type { Conventions } from '../../table/conventions.ts'
import { digitTimes } from '../../table/digit-times.ts'
import { shown } from '../../table/foreign-text.ts'
import { isDesignation, readNumber } from '../../table/number.ts'
import { readNumbers } from '../../table/numbers.ts'
import { standInSaid } from '../../table/stand-in-said.ts'
import { looksLikeTimes, namesTimes } from './times-column.ts'

interface Sampled {
  readonly index: number
  readonly name: string
  readonly cells: readonly string[]
}

/** The columns that hold values, and what is to be said of those that only look as if. */
export function valuesAmong(
  columns: readonly Sampled[],
  isUntimed: boolean,
  conventions: Conventions,
): { readonly chosen: readonly number[]; readonly warnings: readonly string[] } {
  const unreadTimes = isUntimed
    ? columns.find(({ index, name, cells }) => looksLikeTimes(name, cells, index === 0))
    : undefined
  const numeric = columns.filter(({ name, cells }) => isNumeric(name, cells, conventions))
  const isUnread = (name: string) => isUntimed && namesTimes(name)
  const isName = ({ name, cells }: Sampled) =>
    cells.some(isDesignation) ||
    (numeric.length > 1 &&
      (countsUp(cells) ||
        isCodeName(name) ||
        digitTimes(name, cells) !== undefined ||
        isConstant(cells) ||
        isUnread(name)))
  const namesOfRows = numeric.filter(isName)
  const values = numeric.filter(one => !namesOfRows.includes(one))
  return {
    chosen: values.map(({ index }) => index),
    warnings: [
      ...(unreadTimes
        ? [
            `No column of times was found: the rows are taken in their order. ${shown(unreadTimes.name)} has ${shown(unreadTimes.cells[0] ?? '')}; write times as 2026-01-31.`,
          ]
        : []),
      ...namesOfRows.map(
        ({ name }) =>
          `${shown(name)} ${isUnread(name) ? "is named as times, can't be read as such" : 'names or counts rows'} and is not forecast; say it in \`value_columns\` where it holds values.`,
      ),
    ],
  }
}

/** One more with every row, as ids and numbers of rows are. */
const countsUp = (cells: readonly string[]) =>
  cells.length > 1 &&
  cells.every((cell, i) => /^\d+$/.test(cell.trim()) && (i === 0 || Number(cell) === Number(cells[i - 1]) + 1))

/** The same whole number in every row, as the id of a shop is. */
const isConstant = (cells: readonly string[]) =>
  cells.length > 1 && /^\d+$/.test(cells[0]?.trim() ?? '') && cells.every(cell => cell.trim() === cells[0]?.trim())

function isNumeric(name: string, cells: readonly string[], conventions: Conventions): boolean {
  if (cells.some(isDesignation)) return cells.every(cell => readNumber(cell, false) !== undefined)
  return readNumbers(name, cells, conventions)?.strange.length === 0
}

/** Throws a `Refusal` that names the cell which is no number. */
export function numbersOf(
  cells: readonly string[],
  name: string,
  conventions: Conventions,
  param: string,
): { readonly values: readonly number[]; readonly said: readonly string[] } {
  const read = readNumbers(name, cells, conventions)
  if (read?.strange.length === 0)
    return { values: [...read.values], said: [...read.said, ...standInSaid(name, 'number', read.values)] }
  const values = cells.map(cell => readNumber(cell, false))
  const place = read?.strange[0] ? read.strange[0].row - 1 : values.indexOf(undefined)
  if (place < 0) return { values: values.map(value => value ?? Number.NaN), said: [] }
  throw new Refusal(
    param,
    `Column ${shown(name)} has ${shown(cells[place] ?? '')} as value ${place + 1}, which is no number. Leave the cell empty where a value is missing.`,
  )
}
