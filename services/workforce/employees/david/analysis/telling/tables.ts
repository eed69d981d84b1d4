/** The analysis as tables that a spreadsheet opens. */
import { stringify } from 'csv-stringify/sync'
import type { Analysis } from '../result.ts'

export function columnsTable({ columns }: Analysis): string {
  const header = ['column', 'type', 'missing', 'distinct', ...NUMBERS, 'from', 'to', 'query']
  return csv([
    header,
    ...columns.map(({ name, type, missing, distinct, numbers, times, sql }) => [
      name,
      type,
      missing,
      distinct,
      ...NUMBERS.map(one => numbers?.[one] ?? ''),
      times?.from ?? '',
      times?.to ?? '',
      sql,
    ]),
  ])
}

const NUMBERS = ['mean', 'standard_deviation', 'least', 'quartile_1', 'median', 'quartile_3', 'most', 'far'] as const

export const findingsTable = ({ findings }: Analysis): string =>
  csv([
    ['finding', 'kind', 'columns', 'statement', 'value', 'strength', 'p_adjusted', 'query'],
    ...findings.map(({ id, kind, columns, statement, value, strength, test, sql }) => [
      id,
      kind,
      columns.join(', '),
      statement,
      value,
      strength.value,
      test.p_adjusted,
      sql,
    ]),
  ])

/** A cell of text that a spreadsheet would run as a formula begins with an apostrophe. */
const csv = (rows: readonly (readonly (string | number)[])[]) =>
  stringify(
    rows.map(row => [...row]),
    { escape_formulas: true, record_delimiter: 'windows' },
  )
