/** A column of numbers that is higher in one group of rows than in another. */

import type { Ask } from '../../table/database.ts'
import { identifier } from '../../table/database.ts'
import type { Charted } from '../result.ts'
import { effective, type Ranked, ranksAmong } from '../sample.ts'
import { chiSquaredUpper } from '../statistics/distributions.ts'
import type { Control, Controlled } from './control.ts'
import { proved, rankBy, said, type Told } from './effect.ts'
import { type Ends, endsOf } from './ends.ts'
import { columnSaid, type Group, type Groups, LEAST_ROWS } from './groups.ts'
import { toldUnder } from './left-of-difference.ts'

export interface Differing extends Controlled {
  readonly rows: number
  readonly number: Ranked
  /** Those that are compared alone. */
  readonly groups: Groups
  /** Which of them are told; asked once, as it sorts the values of each. */
  readonly ends: () => Ends
}

/** Kruskal and Wallis (1952). Undefined where fewer than two groups have enough values. */
export function difference(number: Ranked, all: Groups): Differing | undefined {
  const { column, persistence } = number
  const groups = comparedIn(number, all)
  const { within, n, sum, squares } = ranksIn(number, groups)
  const places = [...within.keys()].filter(place => (within[place]?.count ?? 0) > 0)
  const k = places.length
  if (k < 2) return undefined
  const share = shareBetween(within, n, sum, squares)
  const statistic = (n - 1) * share
  // Rows that go on as those before them say less, as in a correlation.
  const independent = effective(n, persistence * groups.persistence) / n
  const missing = groups.by === 'missing'
  const rank = (place: number) => (within[place]?.ranks ?? 0) / (within[place]?.count || 1)
  let known: Ends | undefined
  const ends = () => {
    known ??= endsOf(column, groups, places, rank)
    return known
  }
  const made: Differing = {
    kind: missing ? 'missing' : 'difference',
    columns: missing ? [groups.column, column.name] : [column.name, groups.column],
    p: chiSquaredUpper(statistic * independent, k - 1),
    strength: Math.sqrt(Math.max(0, (statistic - k + 1) / (n - k))),
    measure: 'root of epsilon squared, of ranks',
    test: 'Kruskal-Wallis',
    rows: n,
    number,
    groups,
    ends,
    tell: ask => tell(ask, made),
    under: control => ({ ...made, tell: ask => tell(ask, made, control) }),
  }
  return made
}

/** Rows of groups in which too few values of the column are known are no rows of a group. */
function comparedIn({ ranks }: Ranked, all: Groups): Groups {
  const counts = new Uint32Array(all.groups.length)
  all.codes.forEach((code, row) => {
    if (code >= 0 && !Number.isNaN(ranks[row])) counts[code] = (counts[code] ?? 0) + 1
  })
  const isFew = (place: number) => (counts[place] ?? 0) > 0 && (counts[place] ?? 0) < LEAST_ROWS
  if (!counts.some((_, place) => isFew(place))) return all
  return { ...all, codes: all.codes.map(code => (isFew(code) ? -1 : code)), hasFew: true }
}

function ranksIn(number: Ranked, groups: Groups) {
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
  return { within, n, sum, squares }
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

async function tell(ask: Ask, { number, groups, ends }: Differing, control?: Control): Promise<Told> {
  const { name } = number.column
  const { measure, high, low, byMedian } = ends()
  const missing = groups.by === 'missing'
  const isPart = groups.hasRare || groups.hasFew === true
  const rare = isPart
    ? `, ${rareBeside(
        identifier(name),
        groups.column,
        byMedian.flatMap(place => groups.groups[place] ?? []),
      )}`
    : ''
  const x = identifier(name)
  const ranked = `SELECT *, ${rankBy(x)} AS ${PLACE} FROM data WHERE ${x} IS NOT NULL`
  const aggregate = measure === 'median' ? 'median' : 'avg'
  const [of, from] = measure === 'mean rank' ? [PLACE, `(${ranked})`] : [x, 'data']
  const whole = `SELECT higher - lower AS difference, * FROM (SELECT ${aggregate}(${of}) FILTER (WHERE ${high.group.where}) AS higher, ${aggregate}(${of}) FILTER (WHERE ${low.group.where}) AS lower FROM ${from})${rare}`
  const proof = await proved(
    ask,
    control ? `SELECT within.*, whole.* FROM (${control.sql}) AS within, (${whole}) AS whole` : whole,
  )
  const [first, second] = [said(proof.of('higher')), said(proof.of('lower'))]
  const { head, tail } = rareSaid(columnSaid(groups.column), columnSaid(name), groups.hasFew === true, proof.of)
  const plain = missing
    ? `Where ${high.group.said}, ${columnSaid(name)} is higher: its ${measure} is ${first} there, and ${second} where ${low.group.said}.`
    : `${head}${columnSaid(name)} is highest where ${high.group.said} (${measure} ${first}) and lowest where ${low.group.said} (${second}).`
  const statement = control
    ? toldUnder(
        {
          number: columnSaid(name),
          by: columnSaid(groups.column),
          plain: plain.slice(0, -1),
          sizes: `${measure} ${first} where ${high.group.said}, ${second} where ${low.group.said}`,
        },
        control,
        proof.of,
      )
    : plain
  const chart = async (): Promise<Charted> =>
    missing
      ? {
          title: `${columnSaid(name)}: ${measure}`,
          unit: '',
          sql: proof.sql,
          points: [
            { label: high.group.said, name: 'higher', value: proof.of('higher') },
            { label: low.group.said, name: 'lower', value: proof.of('lower') },
          ],
        }
      : await medians(
          ask,
          name,
          { column: groups.column, isPart },
          byMedian.flatMap(place => groups.groups[place] ?? []),
        )
  return { statement: `${statement}${tail}`, sql: proof.sql, values: proof.values, chart }
}

/** In a query, what is in the groups of too few rows: how many they are, and from where to where their medians reach. */
const rareBeside = (x: string, by: string, groups: readonly Group[]) =>
  `(SELECT count(*) AS groups_left_out, coalesce(sum(n), 0) AS rows_left_out, min(m) AS lowest_left_out, max(m) AS highest_left_out FROM (SELECT count(*) AS n, median(${x}) AS m FROM data WHERE ${x} IS NOT NULL AND NOT (${groups.map(({ where }) => where).join(' OR ')}) GROUP BY ${identifier(by)}))`

/** What stands round a sentence on groups: nothing is said to be highest of all where some were left out. */
function rareSaid(
  by: string,
  name: string,
  hasFew: boolean,
  of: (name: string) => number,
): { readonly head: string; readonly tail: string } {
  const [groups, rows] = [of('groups_left_out'), of('rows_left_out')]
  if (groups === 0) return { head: '', tail: '' }
  const [lowest, highest] = [said(of('lowest_left_out')), said(of('highest_left_out'))]
  const tail =
    groups === 1
      ? `One value of ${by} with fewer is left out (${rows === 1 ? 'one row' : `${said(rows)} rows`}); its median is ${highest}.`
      : `${said(groups)} values of ${by} with fewer are left out (${said(rows)} rows in all); their medians reach from ${lowest} to ${highest}.`
  const known = hasFew ? `${name} known in ` : ''
  return { head: `Of the values of ${by} with ${known}at least ${LEAST_ROWS} rows, `, tail: ` ${tail}` }
}

/** Bars that stand beside each other in a chart: the highest and a few of the lowest. */
const MOST_BARS = { high: 10, low: 5 } as const

/** Of groups, the highest first. */
async function medians(
  ask: Ask,
  name: string,
  { column: by, isPart }: { readonly column: string; readonly isPart: boolean },
  sorted: readonly Group[],
): Promise<Charted> {
  const { high, low } = MOST_BARS
  const shown = sorted.length > high + low ? [...sorted.slice(0, high), ...sorted.slice(-low)] : sorted
  const bars = shown.map(({ where }, i) => `any_value(${MIDDLE}) FILTER (WHERE ${where}) AS group_${i}`)
  const sql = `SELECT ${bars.join(', ')} FROM (SELECT ${identifier(by)}, median(${identifier(name)}) AS ${MIDDLE} FROM data GROUP BY 1)`
  const row = await ask(sql)
  return {
    title: `${columnSaid(name)} by ${columnSaid(by)}: medians${shown.length < sorted.length ? ` of ${high} high and ${low} low groups` : ''}${isPart ? `, of at least ${LEAST_ROWS} rows each` : ''}`,
    unit: '',
    sql,
    points: shown.map(({ label }, i) => ({ label, name: `group_${i}`, value: row[`group_${i}`] ?? null })),
  }
}
