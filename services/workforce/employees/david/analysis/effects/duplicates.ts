/** Rows that are there more than once. */
import type { Column, Table } from '../../table/columns.ts'
import { type Ask, identifier } from '../../table/database.ts'
import { poissonUpper } from '../statistics/distributions.ts'
import { type Effect, said } from './effect.ts'

export interface Repeated {
  readonly sql: string
  readonly rows: number
  readonly effect: Effect | undefined
}

/**
 * Without the columns that tell all rows apart, as a copy often has a number of its own. Tested against how many pairs of equal rows
 * chance alone would make, were the columns independent; where it would make many, they are counted and no finding.
 */
export async function duplicates({ columns, rows }: Table, ask: Ask): Promise<Repeated> {
  const others = columns.filter(column => pairShare(column, rows) > 0)
  const compared = others.length > 1 ? others : columns
  const names = compared.map(({ name }) => name)
  const sql = `SELECT coalesce(sum(copies - 1), 0) AS repeated, coalesce(sum(copies * (copies - 1) / 2), 0) AS pairs FROM (SELECT count(*) AS copies FROM data GROUP BY ${names.map(identifier).join(', ')} HAVING count(*) > 1)`
  const { repeated, pairs } = await ask(sql)
  const chance = compared.reduce((share, column) => share * pairShare(column, rows), (rows * (rows - 1)) / 2)
  const values = { repeated: repeated ?? 0, pairs: pairs ?? 0 }
  const many = values.repeated === 1 ? 'One row repeats' : `${said(values.repeated)} rows repeat`
  const where = compared.length < columns.length ? 'every column that does not tell all rows apart' : 'every column'
  const effect: Effect = {
    kind: 'duplicates',
    columns: names.slice(0, MOST_NAMED),
    p: poissonUpper(values.pairs, chance),
    strength: 1,
    measure: 'certain or not',
    test: 'pairs of equal rows, Poisson',
    tell: async () => ({ statement: `${many} an earlier one in ${where}.`, sql, values }),
  }
  return { sql, rows: values.repeated, effect: chance <= 1 ? effect : undefined }
}

/** Columns named in the finding; the query has them all. */
const MOST_NAMED = 20

/** Of all pairs of rows, how many are the same in this column. */
function pairShare(column: Column, rows: number): number {
  const sorted = (column.type === 'number' || column.type === 'time' ? column.values : column.codes).toSorted()
  let [pairs, run] = [0, 0]
  for (let i = 0; i <= sorted.length; i++) {
    // Values that are missing are equal, and sorted together.
    if (i < sorted.length && i > 0 && Object.is(sorted[i], sorted[i - 1])) run++
    else {
      pairs += (run * (run - 1)) / 2
      run = 1
    }
  }
  return rows > 1 ? pairs / ((rows * (rows - 1)) / 2) : 1
}
