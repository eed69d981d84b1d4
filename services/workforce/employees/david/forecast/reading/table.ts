/** A table of text as series: a column of times and columns of values, or one of each and one that names the series. */
import { Refusal } from '../../../src/brief.ts'
import { rowsOf } from '../../table/csv.ts'
import { shown } from '../../table/foreign-text.ts'
import { dayOrderOf } from '../../table/moment.ts'
import { hasDecimalComma, isDesignation, readNumber } from '../../table/number.ts'
import { plainForm } from '../../table/number-form.ts'
import type { ForecastInput } from '../input.ts'
import type { RawSeries } from './raw-series.ts'
import { isTimeName, looksLikeTimes, timesColumn } from './times-column.ts'

const MOST_ROWS = 200_000
const MOST_COLUMNS = 200
/** Rows that say what a column is. */
const SAMPLE = 200

export function readTable(text: string, input: ForecastInput, param: string): readonly RawSeries[] {
  const data = cellsOf(text, param)
  const width = Math.max(0, ...data.slice(0, SAMPLE).map(row => row.length))
  if (data.length > MOST_ROWS + 1)
    throw new Refusal(
      param,
      `The table has more than ${MOST_ROWS} rows. Send the latest ones, or sum them up by the day, week or month.`,
    )
  if (width === 0) throw new Refusal(param, 'The table is empty.')
  if (width > MOST_COLUMNS)
    throw new Refusal(
      param,
      `The table has more than ${MOST_COLUMNS} columns. Send the one of the dates and those of the values.`,
    )

  const headed =
    !(data[0] ?? []).some(cell => readNumber(cell, false) !== undefined && cell.trim() !== '') &&
    dayOrderOf((data[0] ?? []).slice(0, 1)) === undefined
  const names = Array.from(
    { length: width },
    (_, i) => (headed ? (data[0]?.[i] ?? '').trim() : '') || `column ${i + 1}`,
  )
  const rows = headed ? data.slice(1) : data
  const column = (index: number) => rows.map(row => row[index] ?? '')
  const named = (name: string, of: string) => {
    const index = names.indexOf(name.trim())
    if (index < 0)
      throw new Refusal(
        `input.${of}`,
        `There is no column ${shown(name)}. There are: ${names.slice(0, 20).map(shown).join(', ')}.`,
      )
    return index
  }

  const labels = input.series_column === undefined ? undefined : named(input.series_column, 'series_column')
  const sample = (index: number) => column(index).slice(0, SAMPLE)
  const dates =
    input.date_column === undefined
      ? timesColumn(names, sample, param, labels)
      : named(input.date_column, 'date_column')
  const others = [...names.keys()].filter(index => index !== dates && index !== labels)
  const asked = input.value_columns?.map(name => named(name, 'value_columns'))
  const { chosen, warnings } = asked
    ? { chosen: asked, warnings: [] }
    : valuesAmong(
        others.map(index => ({ index, name: names[index] ?? '', cells: sample(index) })),
        dates === undefined,
      )
  if (chosen.length === 0) {
    const unread = others.flatMap(index => {
      const row = sample(index).findIndex(cell => readNumber(cell, false) === undefined)
      return row < 0 ? [] : [` ${shown(names[index] ?? '')} has ${shown(column(index)[row] ?? '')} in row ${row + 1}.`]
    })
    throw new Refusal(
      param,
      `No column beside the dates holds numbers.${unread[0] ?? ''} There are: ${names.slice(0, 20).map(shown).join(', ')}.`,
    )
  }

  const texts = dates === undefined ? undefined : column(dates)
  const whole = chosen.map(index => ({
    name: names[index] ?? '',
    values: numbers(column(index), names[index] ?? '', param),
  }))
  if (labels === undefined)
    return whole.map(({ name, values }) => ({ name, values, warnings, ...(texts && { timestamps: texts }) }))
  const said = column(labels)
  const groups = Map.groupBy(rows.keys(), row => said[row] ?? '')
  return groups.size > 0
    ? whole.flatMap(part => grouped(part, groups, texts, whole.length > 1)).map(one => ({ ...one, warnings }))
    : []
}

/** No more than say that there are too many. */
function cellsOf(text: string, param: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  for (const row of rowsOf(text, param)) {
    const isUnnamedHeader = rows.length === 0 && row.length > 1
    if (isUnnamedHeader || row.some(cell => cell.trim() !== '')) rows.push(row)
    if (rows.length > MOST_ROWS + 1) break
  }
  return rows
}

type Part = { readonly name: string; readonly values: readonly number[] }

const grouped = (
  { name, values }: Part,
  groups: ReadonlyMap<string, readonly number[]>,
  texts: readonly string[] | undefined,
  several: boolean,
): readonly RawSeries[] =>
  [...groups].map(([label, rows]) => ({
    name: several ? `${label} ${name}` : label,
    values: rows.map(row => values[row] ?? Number.NaN),
    ...(texts && { timestamps: rows.map(row => texts[row] ?? '') }),
  }))

interface Sampled {
  readonly index: number
  readonly name: string
  readonly cells: readonly string[]
}

/** The columns that hold values, and what is to be said of those that only look as if. */
function valuesAmong(
  columns: readonly Sampled[],
  isUntimed: boolean,
): { readonly chosen: readonly number[]; readonly warnings: readonly string[] } {
  const unreadTimes = isUntimed
    ? columns.find(({ index, name, cells }) => looksLikeTimes(name, cells, index === 0))
    : undefined
  const numeric = columns.filter(({ cells }) => isNumeric(cells) || plainForm(cells) !== undefined)
  const isName = ({ index, name, cells }: Sampled) =>
    cells.some(isDesignation) ||
    (numeric.length > 1 && (countsUp(cells) || (isUntimed && index === 0 && isTimeName(name))))
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
      ...namesOfRows
        .filter(one => one !== unreadTimes)
        .map(
          ({ name }) =>
            `${shown(name)} names or counts rows and is not forecast; say it in \`value_columns\` where it holds values.`,
        ),
      ...values.flatMap(({ name, cells }) => {
        const form = isNumeric(cells) ? undefined : plainForm(cells)
        return form ? [`${shown(name)} is read as numbers: ${form.example}.`] : []
      }),
    ],
  }
}

/** One more with every row, as ids and numbers of rows are. */
const countsUp = (cells: readonly string[]) =>
  cells.length > 1 &&
  cells.every((cell, i) => /^\d+$/.test(cell.trim()) && (i === 0 || Number(cell) === Number(cells[i - 1]) + 1))

function isNumeric(sample: readonly string[]): boolean {
  const comma = hasDecimalComma(sample)
  const read = sample.map(cell => readNumber(cell, comma))
  return read.every(value => value !== undefined) && read.some(value => !Number.isNaN(value))
}

function numbers(given: readonly string[], name: string, param: string): readonly number[] {
  const cells = plainForm(given)?.cells ?? given
  const comma = hasDecimalComma(cells)
  return cells.map((cell, i) => {
    const value = readNumber(cell, comma)
    if (value !== undefined) return value
    throw new Refusal(
      param,
      `Column ${shown(name)} has ${shown(cell)} as value ${i + 1}, which is no number. Leave the cell empty where a value is missing.`,
    )
  })
}
