/** A table as series: a column of times and columns of values, or one of each and one that names the series. */
import { Refusal } from '../../../src/brief.ts'
import { textOf } from '../../table/columns.ts'
import { type Conventions, conventionsOf } from '../../table/conventions.ts'
import { shown } from '../../table/foreign-text.ts'
import { readNumber } from '../../table/number.ts'
import { isUsable } from '../../table/numbers.ts'
import type { RawTable } from '../../table/raw-table.ts'
import { signSaid } from '../../table/sign-said.ts'
import { readTimes } from '../../table/times.ts'
import { totalSaid } from '../../table/total-said.ts'
import { yearParts } from '../../table/year-parts.ts'
import type { ForecastInput } from '../input.ts'
import type { RawSeries } from './raw-series.ts'
import { timesColumn } from './times-column.ts'
import { numbersOf, valuesAmong } from './values-columns.ts'

const MOST_ROWS = 200_000
const MOST_COLUMNS = 200
/** Rows that say what a column is. */
const SAMPLE = 200

export function seriesOf(raw: RawTable, input: ForecastInput, param: string): readonly RawSeries[] {
  const { names } = raw
  if (raw.rows > MOST_ROWS)
    throw new Refusal(
      param,
      `The table has more than ${MOST_ROWS} rows. Send the latest ones, or sum them up by the day, week or month.`,
    )
  if (names.length > MOST_COLUMNS)
    throw new Refusal(
      param,
      `The table has more than ${MOST_COLUMNS} columns. Send the one of the dates and those of the values.`,
    )
  const columns = filledRows(raw)
  const conventions = conventionsOf({ ...raw, columns }, input)
  const column = (index: number) => columns[index] ?? []
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
  const joined = input.date_column === undefined ? yearParts(names, column) : undefined
  const dates =
    joined?.year ??
    (input.date_column === undefined
      ? timesColumn(names, sample, param, labels)
      : named(input.date_column, 'date_column'))
  const others = [...names.keys()].filter(
    index => index !== dates && index !== labels && !joined?.parts.includes(index),
  )
  const asked = input.value_columns?.map(name => named(name, 'value_columns'))
  const { chosen, warnings } = asked
    ? { chosen: asked, warnings: [] }
    : valuesAmong(
        others.map(index => ({ index, name: names[index] ?? '', cells: sample(index) })),
        dates === undefined,
        conventions,
      )
  if (chosen.length === 0) {
    const unread = others.flatMap(index => {
      const row = sample(index).findIndex(cell => !isUsable(readNumber(cell, false) ?? Number.POSITIVE_INFINITY))
      return row < 0 ? [] : [` ${shown(names[index] ?? '')} has ${shown(column(index)[row] ?? '')} in row ${row + 1}.`]
    })
    throw new Refusal(
      param,
      `No column beside the dates holds numbers.${unread[0] ?? ''} There are: ${names.slice(0, 20).map(shown).join(', ')}.`,
    )
  }

  const times =
    joined === undefined
      ? dates === undefined
        ? undefined
        : timesOf(names[dates] ?? '', column(dates), conventions, input)
      : { texts: joined.texts, said: [joined.said] }
  const whole = chosen.map(index => ({
    name: names[index] ?? '',
    ...numbersOf(column(index), names[index] ?? '', conventions, param),
  }))
  const total = [...totalSaid(names, columns, column(0).length), ...signSaid(names, columns)]
  const common = [...raw.warnings, ...total, ...(times?.said ?? []), ...warnings]
  if (labels === undefined)
    return whole.map(({ name, values, said }) => ({
      name,
      values,
      warnings: [...common, ...said],
      ...(times && { timestamps: times.texts }),
    }))
  const label = column(labels)
  const groups = Map.groupBy(label.keys(), row => label[row] ?? '')
  return whole.flatMap(part =>
    grouped(part, groups, times?.texts, whole.length > 1).map(one => ({ ...one, warnings: [...common, ...part.said] })),
  )
}

/** The columns as texts, without rows in which nothing is written. */
function filledRows({ columns, rows }: RawTable): readonly (readonly string[])[] {
  const texts = columns.map(column => column.map(textOf))
  const filled = Array.from({ length: rows }, (_, row) => row).filter(row =>
    texts.some(column => column[row]?.trim() !== ''),
  )
  return filled.length === rows ? texts : texts.map(column => filled.map(row => column[row] ?? ''))
}

/** As ISO 8601, where all can be read; else as they are written, for the message that says which can't. */
function timesOf(
  name: string,
  texts: readonly string[],
  conventions: Conventions,
  { date_column: named }: ForecastInput,
): { readonly texts: readonly string[]; readonly said: readonly string[] } {
  const read = readTimes(name, texts, conventions, named !== undefined)
  if (read === undefined || read.values.some(Number.isNaN)) return { texts, said: [] }
  const iso = Array.from(read.values, at => new Date(at).toISOString())
  return { texts: read.zoned ? iso : iso.map(text => text.slice(0, -1)), said: read.said }
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
