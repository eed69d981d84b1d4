/** How the whole table writes numbers and dates: what settles a column that could be read two ways. */
import { type DayOrder, dayOrderOf, readMoment } from './moment.ts'
import { type Decimal, decimalOf } from './number.ts'
import type { RawTable } from './raw-table.ts'

/** What the input says of how the table is written. */
export interface Assumptions {
  readonly date_order?: 'day_first' | 'month_first'
  readonly decimal?: Decimal
  /** Counted from 1, blank rows as well; 0 where there is none. */
  readonly header_row?: number
  /** The name of the sheet of a workbook. */
  readonly sheet?: string
}

export interface Conventions {
  readonly decimal?: Settled<Decimal>
  readonly order?: Settled<DayOrder>
}

export interface Settled<T> {
  readonly is: T
  /** Said in the input: nothing has to be told. */
  readonly isGiven: boolean
  /** Why, for a warning. */
  readonly by: string
}

const SAMPLE = 50

export function conventionsOf({ columns, separator }: RawTable, { date_order, decimal }: Assumptions): Conventions {
  const samples = columns.map(column => sampleOf(column))
  const number = decimal ? { is: decimal, isGiven: true, by: '' } : decimalIn(samples, separator)
  const order = date_order
    ? { is: date_order === 'day_first' ? ('day first' as const) : ('month first' as const), isGiven: true, by: '' }
    : orderIn(samples, number)
  return { ...(number && { decimal: number }), ...(order && { order }) }
}

function sampleOf(column: readonly unknown[]): readonly string[] {
  const texts: string[] = []
  for (const cell of column) {
    if (typeof cell === 'string' && cell.length <= 40 && /\d[./,-]\d/.test(cell)) texts.push(cell)
    if (texts.length === SAMPLE) break
  }
  return texts
}

function decimalIn(samples: readonly (readonly string[])[], separator: string | undefined) {
  const votes = samples.flatMap(cells => {
    const found = decimalOf(cells)
    return found && found.unsure === undefined ? [found.is] : []
  })
  const [comma, point] = [votes.filter(one => one === 'comma').length, votes.filter(one => one === 'point').length]
  const by = 'as in other columns'
  if (comma !== point) return { is: comma > point ? ('comma' as const) : ('point' as const), isGiven: false, by }
  return separator === ';'
    ? { is: 'comma' as const, isGiven: false, by: 'as cells are separated by semicolons' }
    : undefined
}

function orderIn(samples: readonly (readonly string[])[], decimal: Settled<Decimal> | undefined) {
  const orders = samples.flatMap(cells => {
    const times = cells.filter(cell => /^\d{1,2}[/-]\d{1,2}[/-]\d/.test(cell.trim()))
    const isTime = (cell: string) => readMoment(cell, 'day first') ?? readMoment(cell, 'month first')
    const order = times.length > 0 && times.every(isTime) ? dayOrderOf(times) : undefined
    return order === undefined || order === 'either' ? [] : [order]
  })
  if (new Set(orders).size === 1 && orders[0]) return { is: orders[0], isGiven: false, by: 'as in other columns' }
  if (decimal?.is !== 'comma') return undefined
  return {
    is: 'day first' as const,
    isGiven: false,
    by: decimal.by === 'as in other columns' || decimal.isGiven ? 'as decimals have a comma' : decimal.by,
  }
}
