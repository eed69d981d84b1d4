/** How much of a difference is left among rows that are alike in something else: its query, and its sentence. */
import type { NumberColumn } from '../../table/columns.ts'
import { identifier } from '../../table/database.ts'
import type { Ranked } from '../sample.ts'
import type { Control } from './control.ts'
import { said } from './effect.ts'
import { type Ends, type Measure, meanOf, medianOf } from './ends.ts'
import { columnSaid } from './groups.ts'
import type { Strata } from './strata-of-rows.ts'

interface Compared {
  readonly number: Ranked
  readonly ends: Ends
  /** 1 for each row of the high group, 0 of the low one, -1 for others. */
  readonly pair: Int32Array
  /** Of the ranks of all rows, -1 to 1. */
  readonly difference: number
}

/** By the measure of the whole where that says what the test says, else by another. */
export function comparedBy(
  { number, ends, pair, difference }: Compared,
  { verdict, left }: Pick<Control, 'verdict' | 'left'>,
  strata: Strata,
): Required<Pick<Control, 'sql' | 'compared'>> {
  const sides = (codes: Int32Array, count: number) => sidesOf(number.column, pair, codes, count)
  const all = sides(new Int32Array(pair.length), 1)
  const within = sides(strata.codes, strata.count).filter(one => one.there.length > 0 && one.elsewhere.length > 0)
  for (const [measure, of] of MEASURES.toSorted(
    ([a], [b]) => Number(b === ends.measure) - Number(a === ends.measure),
  )) {
    const [before, rest] = [weighed(all, of), weighed(within, of)]
    if (says(verdict, before, rest))
      return { sql: sqlOf(number.column, measure, ends, strata), compared: { measure, isHalved: rest < before / 2 } }
  }
  return {
    sql: sqlOf(number.column, 'mean rank', ends, strata),
    compared: { measure: 'mean rank', isHalved: left < difference / 2 },
  }
}

const MEASURES: readonly (readonly [Measure, (values: readonly number[]) => number])[] = [
  ['median', medianOf],
  ['mean', meanOf],
]

function says(verdict: Control['verdict'], whole: number, left: number): boolean {
  if (!(whole > 0)) return false
  if (verdict === 'reversed') return left < 0
  return verdict === 'holds' ? left > 0 : Math.abs(left) < whole / 2
}

interface Sides {
  readonly there: number[]
  readonly elsewhere: number[]
}

function sidesOf({ values }: NumberColumn, pair: Int32Array, codes: Int32Array, count: number): Sides[] {
  const sides = Array.from({ length: count }, (): Sides => ({ there: [], elsewhere: [] }))
  pair.forEach((side, row) => {
    if (side >= 0) sides[codes[row] ?? -1]?.[side === 1 ? 'there' : 'elsewhere'].push(values[row] ?? 0)
  })
  return sides
}

/** By the weights of the test. */
function weighed(strata: readonly Sides[], of: (values: readonly number[]) => number): number {
  let [sum, weights] = [0, 0]
  for (const { there, elsewhere } of strata) {
    const weight = (there.length * elsewhere.length) / (there.length + elsewhere.length + 1)
    sum += weight * (of(there) - of(elsewhere))
    weights += weight
  }
  return sum / weights
}

function sqlOf({ name }: NumberColumn, measure: Measure, ends: Ends, { by, of, where }: Strata): string {
  const [high, low] = [ends.high.group.where, ends.low.group.where]
  const [x, stratum, value] = [name, ' stratum', ' value'].map(identifier) as [string, string, string]
  const place = `100.0 * ((rank() OVER same + count(*) OVER same) / 2.0 - 0.5) / count(*) OVER (PARTITION BY ${stratum})`
  const both = `SELECT *, ${x} AS ${value} FROM (SELECT *, ${of} AS ${stratum} FROM data WHERE ${where}) WHERE ${x} IS NOT NULL AND (${high} OR ${low})`
  const rows =
    measure === 'mean rank'
      ? `SELECT * EXCLUDE (${value}), ${place} AS ${value} FROM (${both}) WINDOW same AS (PARTITION BY ${stratum} ORDER BY ${x})`
      : both
  const aggregate = measure === 'median' ? 'median' : 'avg'
  return `SELECT sum(m * (n - m) / (n + 1.0) * (a - b)) / sum(m * (n - m) / (n + 1.0)) AS ${by === 'groups' ? 'within_groups' : 'apart_from_time'}, sum(n) AS rows_compared FROM (SELECT count(*) FILTER (WHERE ${high}) AS m, count(*) AS n, ${aggregate}(${value}) FILTER (WHERE ${high}) AS a, ${aggregate}(${value}) FILTER (WHERE ${low}) AS b FROM (${rows}) GROUP BY ${stratum}) WHERE m > 0 AND m < n`
}

/** The sentence on a difference that was held against something else; `plain` is the one without, and has no full stop. */
export function toldUnder(
  told: { readonly number: string; readonly by: string; readonly plain: string; readonly sizes: string },
  { by, column, verdict, name, compared }: Control,
  of: (name: string) => number,
): string {
  const { number, plain, sizes } = told
  const control = columnSaid(column)
  const among = by === 'groups' ? `among rows with the same ${control}` : `among rows of about the same ${control}`
  const [what, unit] = DIFFERENCE[compared?.measure ?? 'median']
  const left = `the ${what} differ by ${said(of(name))}${unit} on average (${said(of('rows_compared'))} rows)`
  const source = by === 'groups' ? `differences between the groups of ${control}` : 'what changes over time'
  return {
    reversed: `Taken all together, ${plain}. But ${among} it is the other way round: ${left}. The total misleads: it comes from ${source}.`,
    explained: `${number} only seems to differ with ${told.by} (${sizes}): both differ with ${control}, and ${among} ${left}.`,
    mostly: `${plain}, but mostly as both differ with ${control}: ${among} ${left}, no more than chance may give.`,
    holds: `${plain}. ${compared?.isHalved ? 'Less than half of it is left' : 'It is also there'} ${among}: ${left}.`,
  }[verdict]
}

const DIFFERENCE: Readonly<Record<Measure, readonly [what: string, unit: string]>> = {
  median: ['medians', ''],
  mean: ['means', ''],
  'mean rank': ['mean places in order', ' % of the rows'],
}
