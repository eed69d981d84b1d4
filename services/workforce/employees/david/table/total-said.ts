/** What is said of a last row that seems to sum up the others. */
import { shown } from './foreign-text.ts'
import type { RawTable } from './raw-table.ts'

export function totalSaid(columns: RawTable['columns'], rows: number): readonly string[] {
  const total = columns
    .map(column => column[rows - 1])
    .find(cell => typeof cell === 'string' && TOTAL.test(cell.trim()))
  return rows > 2 && typeof total === 'string'
    ? [`Row ${rows}, the last, says ${shown(total)} and is read like the others. Leave it out if it sums them up.`]
    : []
}

const TOTAL = /^(?:(?:grand |sub)?total|sum|summe|gesamt|gesamtsumme|insgesamt|totaux|ergebnis)\b.{0,20}$/i
