/** A column of numbers that is higher in one group of rows than in another. */

import type { NumberColumn } from '../../table/columns.ts'
import type { Ask } from '../../table/database.ts'
import { identifier } from '../../table/database.ts'
import type { Charted } from '../result.ts'
import { effective, type Ranked, ranksAmong } from '../sample.ts'
import { chiSquaredUpper } from '../statistics/distributions.ts'
import { type Effect, proved, rankBy, said, type Told } from './effect.ts'
import { columnSaid, type Group, type Groups, LEAST_ROWS } from './groups.ts'

export interface Differing extends Effect {
  readonly rows: number
}

/** Kruskal and Wallis (1952). Undefined where fewer than two groups have values. */
export function difference(number: Ranked, groups: Groups): Differing | undefined {
  const { column, persistence } = number
  const ranks = ranksAmong(number, groups.codes)
  const within = Array.from(groups.groups, () => ({ count: 0, ranks: 0 }))
  let [n, sum, squares] = [0, 0, 0]
  for (let row = 0; row < ranks.length; row++) {
    const [rank, group] = [ranks[row] ?? Number.NaN, within[groups.codes[row] ?? -1]]
    if (group === undefined || Number.isNaN(rank)) continue
    n++
    sum += rank
    squares += rank * rank
    group.count++
    group.ranks += rank
  }
  const places = [...within.keys()].filter(place => (within[place]?.count ?? 0) >= LEAST_ROWS)
  const used = places.reduce((total, place) => total + (within[place]?.count ?? 0), 0)
  // A group with nearly no values would have to be left out row by row; then nothing is tested.
  if (places.length < 2 || used !== n) return undefined
  const share = shareBetween(within, n, sum, squares)
  const statistic = (n - 1) * share
  // Rows that go on as those before them say less, as in a correlation.
  const independent = effective(n, persistence * groups.persistence) / n
  const k = places.length
  const missing = groups.by === 'missing'
  return {
    kind: missing ? 'missing' : 'difference',
    columns: missing ? [groups.column, column.name] : [column.name, groups.column],
    p: chiSquaredUpper(statistic * independent, k - 1),
    strength: Math.sqrt(Math.max(0, (statistic - k + 1) / (n - k))),
    measure: 'root of epsilon squared, of ranks',
    test: 'Kruskal-Wallis',
    rows: n,
    tell: ask => tell(ask, column, groups, within, places),
  }
}

/** Of the variance of the ranks, how much lies between the groups. */
function shareBetween(
  groups: readonly { count: number; ranks: number }[],
  n: number,
  sum: number,
  squares: number,
): number {
  const all = squares - (sum * sum) / n
  const between =
    groups.reduce((total, { count, ranks }) => total + (count > 0 ? ranks ** 2 / count : 0), 0) - (sum * sum) / n
  return all > 0 ? Math.max(0, Math.min(1, between / all)) : 0
}

/** No column begins with a blank. */
const [PLACE, MIDDLE] = [identifier(' place in order'), identifier(' median')]

async function tell(
  ask: Ask,
  { name, values }: NumberColumn,
  { groups, codes, by: sortOf, column, hasRare }: Groups,
  within: readonly { readonly count: number; readonly ranks: number }[],
  places: readonly number[],
): Promise<Told> {
  const missing = sortOf === 'missing'
  const rank = (place: number) => (within[place]?.ranks ?? 0) / (within[place]?.count || 1)
  const inGroup = Array.from(groups, (): number[] => [])
  values.forEach((value, row) => {
    if (!Number.isNaN(value)) inGroup[codes[row] ?? -1]?.push(value)
  })
  const by = MEASURES.map(([measure, of]) => {
    const sizes = new Map(places.map(place => [place, of ? of(inGroup[place] ?? []) : rank(place)]))
    const size = (place: number) => sizes.get(place) ?? 0
    const sorted = places.toSorted((a, b) => size(b) - size(a) || rank(b) - rank(a))
    const [high = 0, low = 0] = [sorted[0], sorted.at(-1)]
    return { measure, sorted, high, low, isSo: size(high) > size(low) && rank(high) > rank(low) }
  })
  // What is tested are ranks: wild values may turn the mean round, and many equal ones the median.
  const chosen = by.find(({ isSo }) => isSo) ?? by.at(-1)
  const [high, low] = [groups[chosen?.high ?? 0], groups[chosen?.low ?? 0]]
  if (!chosen || !high || !low) throw new Error('There are two groups.')
  const x = identifier(name)
  const ranked = `SELECT *, ${rankBy(x)} AS ${PLACE} FROM data WHERE ${x} IS NOT NULL`
  const rare = hasRare ? `, ${rareBeside(x, column, groups)}` : ''
  const { measure } = chosen
  const aggregate = measure === 'median' ? 'median' : 'avg'
  const [of, from] = measure === 'mean rank' ? [PLACE, `(${ranked})`] : [x, 'data']
  const proof = await proved(
    ask,
    `SELECT higher - lower AS difference, * FROM (SELECT ${aggregate}(${of}) FILTER (WHERE ${high.where}) AS higher, ${aggregate}(${of}) FILTER (WHERE ${low.where}) AS lower FROM ${from})${rare}`,
  )
  const [first, second] = [said(proof.of('higher')), said(proof.of('lower'))]
  const { head, tail } = rareSaid(columnSaid(column), proof.of)
  const statement = missing
    ? `Where ${high.said}, ${columnSaid(name)} is higher: its ${measure} is ${first} there, and ${second} where ${low.said}.`
    : `${head}${columnSaid(name)} is highest where ${high.said} (${measure} ${first}) and lowest where ${low.said} (${second}).${tail}`
  const chart = async (): Promise<Charted> =>
    missing
      ? {
          title: `${columnSaid(name)}: ${measure}`,
          unit: '',
          sql: proof.sql,
          points: [
            { label: high.said, name: 'higher', value: proof.of('higher') },
            { label: low.said, name: 'lower', value: proof.of('lower') },
          ],
        }
      : await medians(
          ask,
          name,
          { column, hasRare },
          (by[0]?.sorted ?? []).flatMap(place => groups[place] ?? []),
        )
  return { statement, sql: proof.sql, values: proof.values, chart }
}

const middleOf = (values: readonly number[]): number => {
  const sorted = Float64Array.from(values).sort()
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}

/** What a group is told to be the highest by; the last is that of the ranks. */
const MEASURES = [
  ['median', middleOf],
  ['mean', (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length],
  ['mean rank', undefined],
] as const

/** In a query, what is in the groups of too few rows: how many they are, and from where to where their medians reach. */
const rareBeside = (x: string, by: string, groups: readonly Group[]) =>
  `(SELECT count(*) AS groups_left_out, coalesce(sum(n), 0) AS rows_left_out, min(m) AS lowest_left_out, max(m) AS highest_left_out FROM (SELECT count(*) AS n, median(${x}) AS m FROM data WHERE ${x} IS NOT NULL AND NOT (${groups.map(({ where }) => where).join(' OR ')}) GROUP BY ${identifier(by)}))`

/** What stands round a sentence on groups: nothing is said to be highest of all where some were left out. */
function rareSaid(by: string, of: (name: string) => number): { readonly head: string; readonly tail: string } {
  const [groups, rows] = [of('groups_left_out'), of('rows_left_out')]
  if (groups === 0) return { head: '', tail: '' }
  const [lowest, highest] = [said(of('lowest_left_out')), said(of('highest_left_out'))]
  const tail =
    groups === 1
      ? `One value of ${by} with fewer is left out (${rows === 1 ? 'one row' : `${said(rows)} rows`}); its median is ${highest}.`
      : `${said(groups)} values of ${by} with fewer are left out (${said(rows)} rows in all); their medians reach from ${lowest} to ${highest}.`
  return { head: `Of the values of ${by} with at least ${LEAST_ROWS} rows, `, tail: ` ${tail}` }
}

/** Bars that stand beside each other in a chart: the highest and a few of the lowest. */
const MOST_BARS = { high: 10, low: 5 } as const

/** Of groups, the highest first. */
async function medians(
  ask: Ask,
  name: string,
  { column: by, hasRare }: Pick<Groups, 'column' | 'hasRare'>,
  sorted: readonly Group[],
): Promise<Charted> {
  const { high, low } = MOST_BARS
  const shown = sorted.length > high + low ? [...sorted.slice(0, high), ...sorted.slice(-low)] : sorted
  const bars = shown.map(({ where }, i) => `any_value(${MIDDLE}) FILTER (WHERE ${where}) AS group_${i}`)
  const sql = `SELECT ${bars.join(', ')} FROM (SELECT ${identifier(by)}, median(${identifier(name)}) AS ${MIDDLE} FROM data GROUP BY 1)`
  const row = await ask(sql)
  return {
    title: `${columnSaid(name)} by ${columnSaid(by)}: medians${shown.length < sorted.length ? ` of ${high} high and ${low} low groups` : ''}${hasRare ? `, of at least ${LEAST_ROWS} rows each` : ''}`,
    unit: '',
    sql,
    points: shown.map(({ label }, i) => ({ label, name: `group_${i}`, value: row[`group_${i}`] ?? null })),
  }
}
