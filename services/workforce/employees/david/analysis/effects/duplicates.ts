/** Rows that are there more than once. */
import type { Column, Table } from '../../table/columns.ts'
import { type Ask, identifier } from '../../table/database.ts'
import type { Ranked } from '../sample.ts'
import { poissonUpper } from '../statistics/distributions.ts'
import { sortedOf } from '../statistics/ranks.ts'
import { type Effect, said } from './effect.ts'

export interface Repeated {
  readonly sql: string
  readonly rows: number
  readonly effect: Effect | undefined
}

/**
 * Without the columns that tell all rows apart, as a copy often has a number of its own. Tested against how many pairs of equal rows
 * chance alone would make; where it would make many, they are counted and no finding.
 */
export async function duplicates({ columns, rows }: Table, numbers: readonly Ranked[], ask: Ask): Promise<Repeated> {
  const sorted = new Map<Column, Float64Array>(numbers.map(one => [one.column, one.sorted]))
  const shares = new Map(columns.map(column => [column, pairShare(column, rows, sorted.get(column))]))
  const others = columns.filter(column => shares.get(column) !== 0)
  const compared = others.length > 1 ? others : columns
  const names = compared.map(({ name }) => name)
  const sql = `SELECT coalesce(sum(copies - 1), 0) AS repeated, coalesce(sum(copies * (copies - 1) / 2), 0) AS pairs FROM (SELECT count(*) AS copies FROM data WHERE ${names.map(name => `CASE WHEN ${identifier(name)} IS NULL THEN 0 ELSE 1 END`).join(' + ')} >= ${Math.min(LEAST_KNOWN, names.length)} GROUP BY ${names.map(identifier).join(', ')} HAVING count(*) > 1)`
  const { repeated, pairs } = await ask(sql)
  const values = { repeated: repeated ?? 0, pairs: pairs ?? 0 }
  const independent = compared.reduce((share, column) => share * (shares.get(column) ?? 1), pairsOf(rows))
  const chance = values.pairs > 0 && independent <= 1 ? await chanceOf(compared, rows, shares, ask) : independent
  const many = values.repeated === 1 ? 'One row repeats' : `${said(values.repeated)} rows repeat`
  const where =
    compared.length < columns.length ? 'every column but those whose values are all different' : 'every column'
  const effect: Effect = {
    kind: 'duplicates',
    columns: names.slice(0, MOST_NAMED),
    p: poissonUpper(values.pairs, chance),
    strength: 1,
    measure: 'certain or not',
    test: 'pairs of equal rows, Poisson',
    tell: async () => ({ statement: `${many} an earlier row in ${where}.`, sql, values }),
  }
  return { sql, rows: values.repeated, effect: chance <= 1 ? effect : undefined }
}

/** Values that a row must have: rows in which nearly nothing is known are not copies of each other. */
const LEAST_KNOWN = 2
/** Columns named in the finding; the query has them all. */
const MOST_NAMED = 20

/**
 * Pairs of equal rows that chance alone would make. A town has few postcodes and one country: of the rows that are the same in a column
 * of groups, more are the same in another than of all rows. Each column counts as often as it is the same within the groups, by
 * the column before it that says the most of it: a chain as Chow and Liu (1968) have it.
 */
async function chanceOf(
  columns: readonly Column[],
  rows: number,
  shares: ReadonlyMap<Column, number>,
  ask: Ask,
): Promise<number> {
  const share = (column: Column) => shares.get(column) ?? 1
  // What comes first has the largest groups: in small ones a copy would speak for itself.
  const sorted = columns.toSorted((a, b) => share(b) - share(a))
  const groups: Column[] = []
  let chance = pairsOf(rows)
  for (const column of sorted) {
    let most = share(column)
    for (const group of groups.slice(0, MOST_GROUPS)) {
      const { same_in_both: both } = await ask(
        `SELECT coalesce(sum(copies * (copies - 1) / 2), 0) AS same_in_both FROM (SELECT count(*) AS copies FROM data GROUP BY ${identifier(group.name)}, ${identifier(column.name)})`,
      )
      most = Math.max(most, (both ?? 0) / (share(group) * pairsOf(rows)))
    }
    chance *= most
    const { levels } = await ask(`SELECT count(DISTINCT ${identifier(column.name)}) AS levels FROM data`)
    if ((levels ?? 0) * LEAST_IN_GROUP <= rows) groups.push(column)
  }
  return chance
}

/** Columns that others are looked at by. */
const MOST_GROUPS = 8
/** Rows in each group, in the mean. */
const LEAST_IN_GROUP = 10

/** Of all pairs of rows, how many are the same in this column. */
function pairShare(column: Column, rows: number, sorted: Float64Array | undefined): number {
  if (rows < 2) return 1
  const pairs =
    column.type === 'number' || column.type === 'time'
      ? pairsOfValues(sorted ?? sortedOf(column.values), rows)
      : pairsOfCounts(countsOf(column.codes, column.levels.length))
  return pairs / pairsOf(rows)
}

const pairsOf = (count: number) => (count * (count - 1)) / 2
const pairsOfCounts = (counts: Uint32Array) => counts.reduce((sum, count) => sum + pairsOf(count), 0)

/** Those that are missing are equal. */
function pairsOfValues(sorted: Float64Array, rows: number): number {
  let [pairs, run] = [pairsOf(rows - sorted.length), 1]
  for (let i = 1; i <= sorted.length; i++) {
    if (i < sorted.length && sorted[i] === sorted[i - 1]) run++
    else {
      pairs += pairsOf(run)
      run = 1
    }
  }
  return pairs
}

/** The last is of those that are missing. */
function countsOf(codes: Int32Array, levels: number): Uint32Array {
  const counts = new Uint32Array(levels + 1)
  for (const code of codes) {
    const place = code < 0 ? levels : code
    counts[place] = (counts[place] ?? 0) + 1
  }
  return counts
}
