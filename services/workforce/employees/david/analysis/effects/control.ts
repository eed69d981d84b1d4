/** What is left of a correlation among rows of one category, or apart from the time. */
import { identifier } from '../../table/database.ts'
import { type Axis, type Ranked, ranksAmong } from '../sample.ts'
import { probabilityOf } from '../statistics/distributions.ts'
import { correlate, ranksOf, ranksWithin } from '../statistics/ranks.ts'
import { type Effect, LEAST_STRENGTH, paired, rankBy } from './effect.ts'
import type { Measure } from './ends.ts'
import type { Groups } from './groups.ts'

/** One that is held against the other columns. */
export interface Controlled extends Effect {
  /** Told with what was found to be left of it when something else is held fixed. */
  readonly under: (control: Control) => Effect
}

/** A correlation, and whose it is. */
export interface Pair {
  readonly columns: readonly string[]
  readonly pair: readonly [Ranked, Ranked]
  readonly spearman: number
  readonly rows: number
}

export interface Control {
  /** The category, or the time. */
  readonly column: string
  readonly by: 'groups' | 'time'
  /** `reversed`: it turns round. `explained`: next to nothing is left; `mostly`: less than half, and no more than chance may give. */
  readonly verdict: 'reversed' | 'explained' | 'mostly' | 'holds'
  /** What is left, -1 to 1. */
  readonly left: number
  /** Gives `left` under this name, with `correlation` and `rows`. */
  readonly name: 'within_groups' | 'apart_from_time'
  readonly sql: string
  /** Of a difference of numbers: what the query compares, and whether less than half of the difference is left. */
  readonly compared?: { readonly measure: Measure; readonly isHalved: boolean }
}

/** A category of more groups is an obvious one only where each group has many rows, in the mean. */
const [MOST_GROUPS, ROWS_OF_MANY_GROUPS] = [20, 50]

/** Whether a category may be held against a link. */
export const isObvious = ({ by, groups, codes }: Groups): boolean =>
  by === 'level' && (groups.length <= MOST_GROUPS || groups.length * ROWS_OF_MANY_GROUPS <= codes.length)
/** Columns whose ranks go with the time, or with those just before them, by so much may do so with each other for that reason. */
const LEAST_WITH_TIME = 0.3
/** Moments with so many rows each are compared within, others from one to the next. */
const ROWS_OF_A_MOMENT = 2
const FEWEST = 8

/** The control that says the most against it; undefined where there is nothing to hold it against. */
export function controlOf(
  effect: Pair,
  groups: readonly Groups[],
  axis: Axis | undefined,
  level: number,
): Control | undefined {
  const all = [
    ...groups.flatMap(one => withinGroups(effect, one, level) ?? []),
    ...[axis ? apartFromTime(effect, axis, level) : undefined].filter(one => one !== undefined),
  ]
  return mostAgainst(all, Math.sign(effect.spearman))
}

/** `sign` is that of the whole. */
export function mostAgainst(all: readonly Control[], sign: number): Control | undefined {
  const of = (verdict: Control['verdict']) => all.filter(one => one.verdict === verdict)
  const along = ({ left }: Control) => left * sign
  const least = (those: readonly Control[]) => those.toSorted((a, b) => along(a) - along(b))[0]
  return least([...of('reversed'), ...of('explained'), ...of('mostly')]) ?? least(of('holds'))
}

/** Whether what is left is no finding of its own. */
export const isExplaining = (verdict: Control['verdict'] | undefined): boolean =>
  verdict === 'explained' || verdict === 'mostly'

/** Of a link of strength -1 to 1, and of what is left of it. */
export function verdictOf(whole: number, left: number, isChance: boolean): Control['verdict'] {
  const along = left * Math.sign(whole)
  if (along <= -LEAST_STRENGTH && !isChance) return 'reversed'
  // One that was weak from the start and is as strong as before is explained by nothing.
  if (along >= Math.abs(whole) / 2) return 'holds'
  return along < LEAST_STRENGTH ? 'explained' : isChance ? 'mostly' : 'holds'
}

const isChance = (left: number, n: number, level: number) => probabilityOf(left, n) > level

function withinGroups(effect: Pair, groups: Groups, level: number): Control | undefined {
  if (!isObvious(groups)) return undefined
  const [a, b] = effect.pair
  const codes = knownIn(a, b, groups.codes)
  const { r: left, n } = within(a, b, codes, groups.groups.length)
  if (n < 0.8 * effect.rows) return undefined
  const verdict = verdictOf(effect.spearman, left, isChance(left, n - groups.groups.length + 1, level))
  // Bands of a column leave little of it to go along with anything: they explain nothing.
  if (isExplaining(verdict) && isBands(a, codes) !== isBands(b, codes)) return undefined
  const kept = groups.groups.map(({ where }) => where).join(' OR ')
  const sql = sqlWithin(effect, identifier(groups.column), kept, 'within_groups')
  return { column: groups.column, by: 'groups', verdict, left, name: 'within_groups', sql }
}

const knownIn = (a: Ranked, b: Ranked, codes: Int32Array) =>
  codes.map((code, row) => (Number.isNaN((a.ranks[row] ?? 0) + (b.ranks[row] ?? 0)) ? -1 : code))

/** Of the places that the values have in their own group, as shares, so that groups of all sizes count alike. */
function within(a: Ranked, b: Ranked, codes: Int32Array, count: number) {
  const sizes = new Uint32Array(count)
  for (const code of codes) if (code >= 0) sizes[code] = (sizes[code] ?? 0) + 1
  const shares = ({ ranks, order }: Ranked) =>
    ranksWithin(ranks, order, codes, count).map((rank, row) => (rank - 0.5) / (sizes[codes[row] ?? 0] ?? 1))
  return correlate(shares(a), shares(b))
}

/** Whether the groups have the column's values one after another, each group its own span. */
function isBands({ ranks }: Pick<Ranked, 'ranks'>, codes: Int32Array): boolean {
  const spans = new Map<number, { least: number; most: number }>()
  codes.forEach((code, row) => {
    const rank = ranks[row] ?? Number.NaN
    if (code < 0) return
    const { least, most } = spans.get(code) ?? { least: rank, most: rank }
    spans.set(code, { least: Math.min(least, rank), most: Math.max(most, rank) })
  })
  const inOrder = [...spans.values()].toSorted((a, b) => a.least - b.least)
  return inOrder.every(({ most }, i) => most <= (inOrder[i + 1]?.least ?? Number.POSITIVE_INFINITY))
}

const sqlWithin = ({ columns: [a = '', b = ''] }: Pair, group: string, known: string, name: Control['name']) => {
  const share = (x: string) =>
    `((rank() OVER (PARTITION BY ${group} ORDER BY ${x}) + count(*) OVER (PARTITION BY ${group} ORDER BY ${x})) / 2.0 - 0.5) / count(*) OVER (PARTITION BY ${group})`
  const [x, y] = [identifier(a), identifier(b)]
  return `SELECT ${name}, correlation, "rows" FROM (SELECT corr(a, b) AS ${name} FROM (SELECT ${share(x)} AS a, ${share(y)} AS b FROM data WHERE ${x} IS NOT NULL AND ${y} IS NOT NULL AND (${known}))), (SELECT corr(a, b) AS correlation, count(*) AS "rows" FROM ${paired(a, b)})`
}

function apartFromTime(effect: Pair, axis: Axis, level: number): Control | undefined {
  const [a, b] = effect.pair
  const { name: time } = axis.column
  if (![a, b].every(one => goesWith(one, axis))) return undefined
  const [x, y, t] = [a.column.name, b.column.name, time].map(identifier) as [string, string, string]
  const moments = momentsOf(a, b, axis)
  const made = { column: time, by: 'time', name: 'apart_from_time' } as const
  if (moments.rows > ROWS_OF_A_MOMENT * moments.a.length) {
    const { r: left, n } = within(a, b, moments.codes, moments.a.length)
    const sql = sqlWithin(effect, t, `${t} IS NOT NULL`, made.name)
    return {
      ...made,
      left,
      sql,
      verdict: verdictOf(effect.spearman, left, isChance(left, n - moments.a.length + 1, level)),
    }
  }
  if (moments.a.length <= FEWEST) return undefined
  const left = changesTogether(moments.a, moments.b)
  const sql = `SELECT (ab - ac * bc) / nullif(sqrt(greatest(0, (1 - ac * ac) * (1 - bc * bc))), 0) AS apart_from_time, correlation, "rows" FROM (SELECT corr(a, b) AS ab, coalesce(corr(a, c), 0) AS ac, coalesce(corr(b, c), 0) AS bc FROM (SELECT ${rankBy('first')} AS a, ${rankBy('second')} AS b, ${rankBy('moment')} AS c FROM (SELECT moment, round(x - lag(x) OVER (ORDER BY moment), 9) AS first, round(y - lag(y) OVER (ORDER BY moment), 9) AS second FROM (SELECT ${t} AS moment, avg(${x}) AS x, avg(${y}) AS y FROM data WHERE ${x} IS NOT NULL AND ${y} IS NOT NULL AND ${t} IS NOT NULL GROUP BY 1)) WHERE first IS NOT NULL AND second IS NOT NULL)), (SELECT corr(a, b) AS correlation, count(*) AS "rows" FROM ${paired(a.column.name, b.column.name)})`
  return { ...made, left, sql, verdict: verdictOf(effect.spearman, left, isChance(left, moments.a.length - 2, level)) }
}

export function goesWith(one: Ranked, { column, order }: Axis): boolean {
  if (one.persistence >= LEAST_WITH_TIME) return true
  const known = new Int32Array(one.ranks.length).fill(-1)
  for (const row of order) if (!Number.isNaN(one.ranks[row])) known[row] = 0
  const times = column.values.map((at, row) => ((known[row] ?? -1) < 0 ? Number.NaN : at))
  return Math.abs(correlate(ranksAmong(one, known), ranksOf(times)).r) >= LEAST_WITH_TIME
}

/** The means of each moment in which both are known, and which moment each row is of. */
function momentsOf({ column: first, ranks: r }: Ranked, { column: second, ranks: s }: Ranked, { column, order }: Axis) {
  const codes = new Int32Array(column.values.length).fill(-1)
  const [a, b, counts]: [number[], number[], number[]] = [[], [], []]
  let [now, rows] = [Number.NaN, 0]
  for (const row of order) {
    if (Number.isNaN((r[row] ?? 0) + (s[row] ?? 0))) continue
    const at = column.values[row] ?? 0
    if (at !== now) for (const list of [a, b, counts]) list.push(0)
    now = at
    rows++
    const moment = a.length - 1
    codes[row] = moment
    a[moment] = (a[moment] ?? 0) + (first.values[row] ?? 0)
    b[moment] = (b[moment] ?? 0) + (second.values[row] ?? 0)
    counts[moment] = (counts[moment] ?? 0) + 1
  }
  const mean = (sums: readonly number[]) => sums.map((sum, moment) => sum / (counts[moment] ?? 1))
  return { codes, rows, a: mean(a), b: mean(b) }
}

/** Of the changes from each moment to the next, apart from what these have of the time themselves (a partial correlation of ranks, Kendall 1942). */
function changesTogether(a: readonly number[], b: readonly number[]): number {
  const changes = (values: readonly number[]) =>
    // Rounded, as steps that are the same come out a little different.
    ranksOf(Float64Array.from(values.slice(1), (value, i) => Math.round((value - (values[i] ?? 0)) * 1e9) / 1e9))
  const [first, second] = [changes(a), changes(b)]
  const times = first.map((_, i) => i)
  const [ab, ac, bc] = [correlate(first, second).r, correlate(first, times).r, correlate(second, times).r]
  const scale = Math.sqrt(Math.max(0, (1 - ac * ac) * (1 - bc * bc)))
  return scale > 0 ? (ab - ac * bc) / scale : 0
}
