/** Rows of one group that are more often in another group than rows elsewhere: categories, or values missing. */
import type { Ask } from '../../table/database.ts'
import { effective } from '../sample.ts'
import { chiSquaredUpper } from '../statistics/distributions.ts'
import { fisherTwoSided } from '../statistics/fisher.ts'
import type { Control, Controlled } from './control.ts'
import { proved, said, type Told } from './effect.ts'
import { columnSaid, type Groups, partOf } from './groups.ts'
import { samenessOf, tellSameness } from './sameness.ts'
import { type Cell, sharesSql } from './strata.ts'

export interface Associated extends Controlled {
  readonly cramersV: number
  readonly rows: number
  /** The share that is told; undefined of categories of which one says what the other says. */
  readonly cell: Cell | undefined
}

/** Pearson's chi-squared, and Fisher's exact test where that needs more rows. Undefined where there is nothing to compare. */
export function association(a: Groups, b: Groups): Associated | undefined {
  const table = folded({
    rows: [...a.groups.keys()].map(place => [place]),
    columns: [...b.groups.keys()].map(place => [place]),
    counts: countsOf(a, b),
  })
  if (table === undefined) return undefined
  const { n, statistic } = chiSquared(table.counts)
  const [r, c] = [table.rows.length, table.columns.length]
  const exact = r === 2 && c === 2 && leastExpected(table.counts) < LEAST_EXPECTED
  const independent = effective(n, a.persistence * b.persistence) / n
  const byCounts = chiSquaredUpper(statistic * independent, (r - 1) * (c - 1))
  const v = cramersV(statistic, n, r, c)
  const missing = [a, b].some(({ by }) => by === 'missing')
  const [first, second] = a.by === 'missing' || b.by === 'level' ? [a, b] : [b, a]
  const sameness = samenessOf(a, b)
  const cell = sameness ? undefined : cellOf(table, a, b)
  const made: Associated = {
    kind: missing ? 'missing' : 'association',
    columns: [first.column, second.column],
    // The exact test knows of no rows that go on as those before them.
    p: exact ? Math.max(fisherTwoSided(table.counts), independent < 1 ? byCounts : 0) : byCounts,
    strength: v,
    measure: "Cramér's V, corrected for bias",
    test: exact ? "Fisher's exact test" : 'chi-squared',
    cramersV: v,
    rows: n,
    cell,
    tell: ask => (cell ? tellShares(ask, cell) : tellSameness(ask, sameness ?? 'both', [a.column, b.column])),
    under: control => ({ ...made, tell: ask => (cell ? tellShares(ask, cell, control) : made.tell(ask)) }),
  }
  return made
}

async function tellShares(ask: Ask, cell: Cell, control?: Control): Promise<Told> {
  const { where, what } = { where: cell.where.group, what: cell.what.group }
  const { of, sql, values } = await proved(ask, control?.sql ?? sharesSql(cell))
  const shares = `where ${where.said}, ${what.said} in ${said(of('share_there'))} % of the rows; elsewhere, in ${said(of('share_elsewhere'))} %`
  const chart = async () => ({
    title: what.said,
    unit: '% of rows',
    sql,
    points: [
      { label: where.said, name: 'share_there', value: of('share_there') },
      { label: 'elsewhere', name: 'share_elsewhere', value: of('share_elsewhere') },
    ],
  })
  return { statement: control ? underControl(cell, control, shares, of) : capital(`${shares}.`), sql, values, chart }
}

function underControl(
  { where, what }: Cell,
  { column, verdict, name }: Control,
  shares: string,
  of: (name: string) => number,
): string {
  const among = `among rows with the same ${columnSaid(column)}`
  const left = `${said(of(name))} percentage points`
  const isHalved = of(name) * Math.sign(of('difference')) < Math.abs(of('difference')) / 2
  return {
    reversed: `Taken all together, ${shares}. But ${among} it is the other way round: the difference is ${left}. The total misleads: it comes from differences between the groups of ${columnSaid(column)}.`,
    explained: `${columnSaid(where.of.column)} and ${columnSaid(what.of.column)} only seem to go together (${shares}): both differ with ${columnSaid(column)}, and ${among} the difference is ${left}.`,
    mostly: `${capital(shares)}, but mostly as both differ with ${columnSaid(column)}: ${among} a difference of ${left} remains, no more than chance may give.`,
    holds: `${capital(shares)}. ${isHalved ? 'Less than half of it is left' : 'It is also there'} ${among} (a difference of ${left}).`,
  }[verdict]
}

const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

interface Contingency {
  /** Which of the groups each row, each column is of. */
  readonly rows: readonly (readonly number[])[]
  readonly columns: readonly (readonly number[])[]
  readonly counts: readonly (readonly number[])[]
}

function countsOf(a: Groups, b: Groups): number[][] {
  const counts = a.groups.map(() => b.groups.map(() => 0))
  for (let row = 0; row < a.codes.length; row++) {
    const [i, j] = [a.codes[row] ?? -1, b.codes[row] ?? -1]
    const line = counts[i]
    if (line && j >= 0) line[j] = (line[j] ?? 0) + 1
  }
  return counts
}

/** The rarest groups put together until enough rows are expected in every cell, or two and two are left. */
function folded(table: Contingency): Contingency | undefined {
  const [rows, columns] = [sums(table.counts), sums(turned(table.counts))]
  const n = rows.reduce((sum, count) => sum + count, 0)
  if (n === 0 || rows.length < 2 || columns.length < 2) return undefined
  if (rows.length === 2 && columns.length === 2) return Math.min(...rows, ...columns) > 0 ? table : undefined
  if (leastExpected(table.counts) >= LEAST_EXPECTED) return table
  const byRow = columns.length === 2 || (rows.length > 2 && Math.min(...rows) <= Math.min(...columns))
  if (byRow) return folded({ ...table, ...merged(table.rows, table.counts, rows) })
  const { rows: groups, counts } = merged(table.columns, turned(table.counts), columns)
  return folded({ ...table, columns: groups, counts: turned(counts) })
}

/** Rows expected in a cell, for chi-squared (Cochran 1954). */
const LEAST_EXPECTED = 5

function leastExpected(counts: Contingency['counts']): number {
  const [rows, columns] = [sums(counts), sums(turned(counts))]
  return (Math.min(...rows) * Math.min(...columns)) / rows.reduce((sum, count) => sum + count, 0)
}

/** The two with the fewest as one. */
function merged(groups: Contingency['rows'], counts: Contingency['counts'], totals: readonly number[]) {
  const [least = 0, second = 1] = [...totals.keys()].toSorted((a, b) => (totals[a] ?? 0) - (totals[b] ?? 0))
  const others = [...totals.keys()].filter(place => place !== least && place !== second)
  const [first = [], other = []] = [counts[least], counts[second]]
  return {
    rows: [...others.map(place => groups[place] ?? []), [...(groups[least] ?? []), ...(groups[second] ?? [])]],
    counts: [...others.map(place => counts[place] ?? []), first.map((count, i) => count + (other[i] ?? 0))],
  }
}

const turned = (counts: Contingency['counts']) => (counts[0] ?? []).map((_, i) => counts.map(row => row[i] ?? 0))
const sums = (counts: Contingency['counts']) => counts.map(row => row.reduce((sum, count) => sum + count, 0))

/** The statistic of a table of counts. */
export function chiSquared(counts: Contingency['counts']): { readonly n: number; readonly statistic: number } {
  const [rows, columns] = [sums(counts), sums(turned(counts))]
  const n = rows.reduce((sum, count) => sum + count, 0)
  const cells = counts.flatMap((row, i) =>
    row.map((count, j) => (count - expected(rows, columns, n, i, j)) ** 2 / expected(rows, columns, n, i, j)),
  )
  return { n, statistic: cells.reduce((sum, cell) => sum + cell, 0) }
}

const expected = (rows: readonly number[], columns: readonly number[], n: number, i: number, j: number) =>
  ((rows[i] ?? 0) * (columns[j] ?? 0)) / n

/** Without what chance alone adds (Bergsma 2013). */
function cramersV(statistic: number, n: number, r: number, c: number): number {
  const square = Math.max(0, statistic / n - ((r - 1) * (c - 1)) / (n - 1))
  const [rows, columns] = [r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)]
  return Math.min(1, Math.sqrt(square / Math.max(1e-12, Math.min(rows - 1, columns - 1))))
}

/**
 * The row and the column whose cell is furthest above what was expected; those of one group alone where there are some, and
 * of what is said by the other value, such as `no`, none where there is another. Of them all, only those that chance alone
 * does not make: what is told would be no link otherwise.
 */
function cellOf({ rows, columns, counts }: Contingency, a: Groups, b: Groups): Cell {
  const [totals, others] = [sums(counts), sums(turned(counts))]
  const n = totals.reduce((sum, count) => sum + count, 0)
  let best = { i: 0, j: 0, score: Number.NEGATIVE_INFINITY }
  const isUnspoken = (places: readonly number[] = [], { groups }: Groups) =>
    places.every(place => groups[place]?.isUnspoken)
  counts.forEach((row, i) => {
    row.forEach((count, j) => {
      const chance = expected(totals, others, n, i, j)
      const several = (rows[i]?.length ?? 0) > 1 || (columns[j]?.length ?? 0) > 1
      const unspoken = a.by === 'missing' && b.by === 'missing' ? i === 0 || j === 0 : false
      const shown = a.by === 'missing' ? i === 0 : b.by === 'missing' ? j === 0 : false
      const other = isUnspoken(rows[i], a) || isUnspoken(columns[j], b)
      // The adjusted residual (Haberman 1973), in standard deviations.
      const apart = Math.sqrt((1 - (totals[i] ?? 0) / n) * (1 - (others[j] ?? 0) / n))
      const residual = (count - chance) / Math.sqrt(chance)
      const isChance = residual < LEAST_RESIDUAL * apart
      const score =
        residual - (isChance ? 1e7 : 0) - (several ? 1e6 : 0) - (unspoken || shown ? 1e3 : 0) - (other ? 1e4 : 0)
      if (score > best.score) best = { i, j, score }
    })
  })
  const [here, there] = [partOf(rows[best.i] ?? [], a), partOf(columns[best.j] ?? [], b)]
  // Missing values are told of by where they are missing; a flag by its share.
  const isTurned = (a.by === 'missing' && b.by === 'level') || (isFlag(a) && b.by === 'level' && !isFlag(b))
  return isTurned ? { where: there, what: here } : { where: here, what: there }
}

const LEAST_RESIDUAL = 2

const isFlag = ({ groups }: Groups) => groups.some(group => group.isUnspoken)
