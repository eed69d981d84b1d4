/** Rows that are alike in one thing: of one category, or close in time. */
import { identifier } from '../../table/database.ts'
import type { Axis } from '../sample.ts'
import type { Groups } from './groups.ts'

export interface Strata {
  readonly column: string
  readonly by: 'groups' | 'time'
  /** Of each row; -1 where it is in none. */
  readonly codes: Int32Array
  readonly count: number
  /** In a query, the stratum of each row, and which rows are in one. */
  readonly of: string
  readonly where: string
}

export const strataOfGroups = ({ column, codes, groups }: Groups): Strata => ({
  column,
  by: 'groups',
  codes,
  count: groups.length,
  of: identifier(column),
  where: groups.map(({ where }) => where).join(' OR '),
})

/** So many parts of the time, each of so many rows. */
const [PARTS, FEWEST_ROWS, MOST_ROWS] = [20, 10, 50]

/** Rows of one moment are of one part. */
export function strataOfTime({ column, order }: Axis): Strata {
  const rows = Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, Math.ceil(order.length / PARTS)))
  const codes = new Int32Array(column.values.length).fill(-1)
  let first = 0
  order.forEach((row, place) => {
    if (column.values[row] !== column.values[order[first] ?? 0]) first = place
    codes[row] = Math.floor(first / rows)
  })
  const time = identifier(column.name)
  return {
    column: column.name,
    by: 'time',
    codes,
    count: Math.ceil(order.length / rows),
    of: `floor((rank() OVER (ORDER BY ${time}) - 1) / ${rows})`,
    where: `${time} IS NOT NULL`,
  }
}
