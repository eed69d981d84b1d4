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

/** Whether no value of `from` goes with two of `to`. */
function isSettled(from: Int32Array, to: Int32Array): boolean {
  const partners = new Map<number, number>()
  return from.every((value, row) => {
    const partner = to[row] ?? -1
    if (value < 0 || partner < 0) return true
    const before = partners.get(value) ?? partner
    partners.set(value, before)
    return before === partner
  })
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
