/** What is to be analysed, as the input schemas have it. */
import { type Brief, Refusal } from '../../src/brief.ts'
import { type Table, typed } from '../table/columns.ts'
import { shown } from '../table/foreign-text.ts'
import type { RawTable } from '../table/raw-table.ts'
import { readTable, type TableInput } from '../table/sources.ts'
import { withCategories } from './measures.ts'

export interface AnalysisInput extends TableInput {
  /** Those alone. */
  readonly columns?: readonly string[]
  /** The one that says when. */
  readonly time_column?: string
  /** Those of whole numbers that measure something, though they look like codes. */
  readonly measure_columns?: readonly string[]
  readonly level?: number
}

const MOST_COLUMNS = 250

/** Throws a `Refusal` for what is no table, has no rows or too many columns, or has not the columns that are named. */
export async function tableOf(brief: Brief<AnalysisInput>): Promise<Table> {
  const { columns, time_column: when } = brief.input
  const raw = await readTable(brief)
  if ((columns ?? raw.names).length > MOST_COLUMNS)
    throw new Refusal(
      'input.columns',
      `${raw.names.length} columns are more than the ${MOST_COLUMNS} that are looked at. Name those that matter.`,
    )
  if (raw.rows === 0) throw new Refusal('input', 'The table has a header and no rows.')
  const measures = brief.input.measure_columns
  for (const name of measures ?? [])
    if (!raw.names.includes(name)) throw unknownColumn(name, raw, 'input.measure_columns')
  const table = withCategories(typed(columns ? only(raw, columns) : raw, when, brief.input), measures)
  if (when === undefined) return table
  const column = table.columns.find(({ name }) => name === when)
  if (column === undefined) throw unknownColumn(when, raw, 'input.time_column')
  if (column.type !== 'time')
    throw new Refusal(
      'input.time_column',
      `${shown(when)} can't be read as times. Write them as 2026-01-31 or 2026-01-31T13:00:00Z.`,
    )
  return table
}

function only(raw: RawTable, columns: readonly string[]): RawTable {
  const places = [...new Set(columns)].map(name => {
    const place = raw.names.indexOf(name)
    if (place < 0) throw unknownColumn(name, raw, 'input.columns')
    return place
  })
  return {
    ...raw,
    names: places.map(place => raw.names[place] ?? ''),
    columns: places.map(place => raw.columns[place] ?? []),
  }
}

const unknownColumn = (name: string, { names }: RawTable, param: string) =>
  new Refusal(param, `There is no column ${shown(name)}. There are: ${names.slice(0, 20).map(shown).join(', ')}.`)
