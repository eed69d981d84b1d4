/** Two columns of numbers that rise together, or one as the other falls. */
import { type Ask, identifier } from '../../table/database.ts'
import { effective, type Ranked, ranksAmong } from '../sample.ts'
import { studentTwoSided } from '../statistics/distributions.ts'
import { correlate } from '../statistics/ranks.ts'
import { type Effect, proved, rankBy, said } from './effect.ts'
import { columnSaid } from './groups.ts'

export interface Correlated extends Effect {
  readonly spearman: number
  readonly pearson: () => number
  readonly rows: number
  /** The same numbers as a query gives them, in the rows that have both values. */
  readonly prove: (ask: Ask) => Promise<ProvedPair>
}

export interface ProvedPair {
  readonly sql: string
  readonly spearman: number
  readonly pearson: number
  readonly rows: number
}

/** Undefined for fewer rows than say anything. */
export function correlation(a: Ranked, b: Ranked): Correlated | undefined {
  const { r, n } = spearman(a, b)
  if (n < 10) return undefined
  const names = [a.column.name, b.column.name] as const
  return {
    kind: 'correlation',
    columns: names,
    p: probabilityOf(r, effective(n, a.persistence * b.persistence)),
    strength: Math.abs(r),
    measure: "Spearman's rank correlation",
    test: "Spearman's rank correlation, Student's t",
    spearman: r,
    pearson: () => correlate(a.column.values, b.column.values).r,
    rows: n,
    prove: async ask => {
      const { sql, of } = await proved(
        ask,
        `SELECT corr(a, b) AS spearman, corr(c, d) AS pearson, count(*) AS "rows" FROM ${paired(...names)}`,
      )
      return { sql, spearman: of('spearman'), pearson: of('pearson'), rows: of('rows') }
    },
    tell: async (ask, inTime) => {
      const both = inTime && names.every(name => inTime.columns.has(name)) ? inTime.time : undefined
      const sql = `SELECT corr(a, b) AS correlation, count(*) AS "rows" FROM ${paired(...names)}`
      const proof = await proved(ask, both === undefined ? sql : besidesTime(...names, both))
      const [first, second] = names.map(columnSaid)
      const how = proof.of('correlation') > 0 ? 'rise together' : 'run against each other'
      const statement = `${first} and ${second} ${how}: rank correlation ${said(proof.of('correlation'))} in ${said(proof.of('rows'))} rows.${both === undefined ? '' : ` Both go with ${columnSaid(both)}: apart from that it is ${said(proof.of('apart_from_time'))}.`}`
      return { statement, sql: proof.sql, values: proof.values }
    },
  }
}

/** Of the ranks that the values have among the rows in which both are known. */
function spearman(a: Ranked, b: Ranked) {
  if (a.order.length === a.ranks.length && b.order.length === b.ranks.length) return correlate(a.ranks, b.ranks)
  const both = Int32Array.from(a.ranks, (rank, row) => (Number.isNaN(rank + (b.ranks[row] ?? 0)) ? -1 : 0))
  return correlate(ranksAmong(a, both), ranksAmong(b, both))
}

/** In a query, the rows that have both: the places in order, and the values. */
function paired(...names: readonly [string, string]): string {
  const [x, y] = names.map(identifier) as [string, string]
  return `(SELECT ${rankBy(x)} AS a, ${rankBy(y)} AS b, ${x} AS c, ${y} AS d FROM data WHERE ${x} IS NOT NULL AND ${y} IS NOT NULL)`
}

/** With the partial correlation of the ranks: what is left of it when both are held against the time (Kendall 1942). */
function besidesTime(a: string, b: string, time: string): string {
  const [x, y, t] = [a, b, time].map(identifier) as [string, string, string]
  const ranks = `SELECT ${rankBy(x)} AS a, ${rankBy(y)} AS b, ${rankBy(t)} AS c FROM data WHERE ${x} IS NOT NULL AND ${y} IS NOT NULL`
  return `SELECT *, (correlation - first_with_time * second_with_time) / sqrt((1 - first_with_time ** 2) * (1 - second_with_time ** 2)) AS apart_from_time FROM (SELECT corr(a, b) AS correlation, count(*) AS "rows", corr(a, c) AS first_with_time, corr(b, c) AS second_with_time FROM (${ranks}))`
}

/** Of a correlation of ranks at least as far from zero, were there none. */
export function probabilityOf(r: number, n: number): number {
  const df = n - 2
  if (df < 1) return 1
  return studentTwoSided(r * Math.sqrt(df / Math.max(1e-300, 1 - r * r)), df)
}
