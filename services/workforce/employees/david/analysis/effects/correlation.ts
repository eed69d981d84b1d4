/** Two columns of numbers that rise together, or one as the other falls. */
import type { Ask } from '../../table/database.ts'
import { effective, type Ranked, ranksAmong } from '../sample.ts'
import { probabilityOf } from '../statistics/distributions.ts'
import { correlate } from '../statistics/ranks.ts'
import type { Control, Controlled } from './control.ts'
import { paired, proved, said } from './effect.ts'
import { columnSaid } from './groups.ts'

export interface Correlated extends Controlled {
  readonly spearman: number
  readonly pearson: () => number
  readonly rows: number
  readonly pair: readonly [Ranked, Ranked]
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
  const made: Correlated = {
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
    pair: [a, b],
    under: control => ({
      ...made,
      strength: control.verdict === 'reversed' ? Math.abs(control.left) : made.strength,
      tell: ask => tellUnder(ask, control, names),
    }),
    tell: async ask => {
      const { of, sql, values } = await proved(
        ask,
        `SELECT corr(a, b) AS correlation, count(*) AS "rows" FROM ${paired(...names)}`,
      )
      return { statement: `${linked(names, of('correlation'))} in ${said(of('rows'))} rows).`, sql, values }
    },
  }
  return made
}

/** Open, so that the number of rows can follow. */
const linked = (names: readonly string[], r: number) =>
  `${names.map(columnSaid).join(' and ')} ${together(r)} (a ${amountOf(r)} link: rank correlation ${said(r)}`

const together = (r: number) => (r > 0 ? 'rise together' : 'run against each other')

/** As Evans (1996) has it, in fewer steps. */
function amountOf(r: number): string {
  const size = Math.abs(r)
  return size >= 0.6 ? 'strong' : size >= 0.4 ? 'moderate' : 'weak'
}

async function tellUnder(ask: Ask, { by, column, verdict, name, sql: query }: Control, names: readonly string[]) {
  const { of, sql, values } = await proved(ask, query)
  const [pair, category] = [names.map(columnSaid).join(' and '), columnSaid(column)]
  const [whole, left] = [of('correlation'), of(name)]
  const isHalved = left * Math.sign(whole) < Math.abs(whole) / 2
  const where = by === 'groups' ? `among rows with the same ${category}` : `apart from the course of ${category}`
  const statement = {
    reversed: `Taken all together ${pair} ${together(whole)} (rank correlation ${said(whole)} in ${said(of('rows'))} rows), but ${where} they ${together(left)} (${said(left)}). The total misleads: it comes from ${by === 'groups' ? `differences between the groups of ${category}` : `what both do over time`}.`,
    explained: `${pair} only seem to ${together(whole)} (rank correlation ${said(whole)} in ${said(of('rows'))} rows): both differ with ${category}, and ${where} the correlation is ${said(left)}.`,
    mostly: `${pair} ${together(whole)} (rank correlation ${said(whole)} in ${said(of('rows'))} rows), but mostly as both differ with ${category}: ${where} ${said(left)} is left, no more than chance may give.`,
    holds: `${linked(names, whole)} in ${said(of('rows'))} rows). ${isHalved ? `Less than half of it is left ${where}` : by === 'groups' ? `It is also there ${where}` : `Both follow ${category}, and the link remains apart from that`} (${said(left)}).`,
  }[verdict]
  return { statement, sql, values }
}

/** Of the ranks that the values have among the rows in which both are known. */
function spearman(a: Ranked, b: Ranked) {
  if (a.order.length === a.ranks.length && b.order.length === b.ranks.length) return correlate(a.ranks, b.ranks)
  const both = Int32Array.from(a.ranks, (rank, row) => (Number.isNaN(rank + (b.ranks[row] ?? 0)) ? -1 : 0))
  return correlate(ranksAmong(a, both), ranksAmong(b, both))
}
