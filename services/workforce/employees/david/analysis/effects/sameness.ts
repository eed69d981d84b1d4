/** Categories of which one says what the other says: a country and its code, a city and its region. */
import { type Ask, identifier } from '../../table/database.ts'
import { proved, said, type Told } from './effect.ts'
import { columnSaid, type Groups } from './groups.ts'

/** `both`: each value of one goes with one of the other. Else which of them has values that each go with one of the other. */
export type Sameness = 'both' | 'first' | 'second'

export function samenessOf(a: Groups, b: Groups): Sameness | undefined {
  if (a.by !== 'level' || b.by !== 'level') return undefined
  const [first, second] = [isSettled(a.all, b.all), isSettled(b.all, a.all)]
  return first && second ? 'both' : first ? 'first' : second ? 'second' : undefined
}

/** Whether no value of `from` goes with two of `to`. A loop over typed arrays, since it runs over all rows for each pair of categories. */
function isSettled(from: Int32Array, to: Int32Array): boolean {
  let most = 0
  for (const value of from) if (value > most) most = value
  const partners = new Int32Array(most + 1).fill(-1)
  for (let row = 0; row < from.length; row++) {
    const value = from[row] ?? -1
    const partner = to[row] ?? -1
    if (value < 0 || partner < 0) continue
    const before = partners[value] ?? -1
    if (before < 0) partners[value] = partner
    else if (before !== partner) return false
  }
  return true
}

export async function tellSameness(ask: Ask, sameness: Sameness, names: readonly [string, string]): Promise<Told> {
  const [a, b] = sameness === 'second' ? [names[1], names[0]] : names
  const [x, y] = [identifier(a), identifier(b)]
  const { of, sql, values } = await proved(
    ask,
    `SELECT count(*) AS pairs, count(DISTINCT x) AS first_values, count(DISTINCT y) AS second_values, sum(n) AS "rows" FROM (SELECT ${x} AS x, ${y} AS y, count(*) AS n FROM data WHERE ${x} IS NOT NULL AND ${y} IS NOT NULL GROUP BY 1, 2)`,
  )
  const [first, second] = [columnSaid(a), columnSaid(b)]
  const statement =
    sameness === 'both'
      ? `${first} and ${second} say the same: each of the ${said(of('pairs'))} values of one goes with one value of the other, in ${said(of('rows'))} rows.`
      : `Each of the ${said(of('first_values'))} values of ${first} goes with one of the ${said(of('second_values'))} values of ${second}, in ${said(of('rows'))} rows.`
  return { statement, sql, values }
}
