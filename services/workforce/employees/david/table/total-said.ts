/** What is said of rows that seem to sum up the others. */
import { shown } from './foreign-text.ts'
import type { RawTable } from './raw-table.ts'

export function totalSaid(names: RawTable['names'], columns: RawTable['columns'], rows: number): readonly string[] {
  if (rows < 3) return []
  const found = new Map<number, string>()
  const look = (column: RawTable['columns'][number], from: number) => {
    for (let row = from; row < rows; row++) {
      const cell = column[row]
      if (typeof cell === 'string' && (isTotal(cell, row < rows - LAST) || (row >= rows - 2 && MEAN.test(cell.trim()))))
        found.set(row, cell.trim())
    }
  }
  for (const [at, column] of columns.entries()) look(column, at === 0 ? 0 : Math.max(0, rows - LAST))
  const [[row, said] = [], ...more] = [...found].toSorted(([a], [b]) => a - b)
  // Where there are more it is rather a level.
  if (found.size > Math.max(FEW, rows / 10)) return []
  if (row !== undefined && said !== undefined)
    return [
      more.length === 0
        ? `Row ${row + 1}${row === rows - 1 ? ', the last,' : ''} says ${shown(said)} and is read like the others. Leave it out if it sums them up.`
        : `${more.length + 1} rows say ${shown(said)} or the like, the first is row ${row + 1}: they are read like the others. Leave them out if they sum them up.`,
    ]
  return isUnnamed(columns, rows)
    ? [
        `Row ${rows}, the last, has no ${shown(names[0] ?? '')} and is read like the others. Leave it out if it sums them up.`,
      ]
    : []
}

/** Rows at the end in which all columns are looked at; above, only the first is. */
const LAST = 10

/** Rows of a short table that may sum up others. */
const FEW = 3

const isTotal = (cell: string, isAbove: boolean) =>
  cell.length >= 3 &&
  cell.length <= 60 &&
  INITIALS.has(cell.charCodeAt(0)) &&
  TOTAL.test(cell.trim()) &&
  !(isAbove && TITLE.test(cell.trim()))
/** "Total Recall", not "Total 2025" and "Subtotal North". */
const TITLE = /^(?:total|sum|suma|somme|summe)s? \p{L}/iu
/** Looked at first, as there may be a million cells. */
const INITIALS = new Set(
  Array.from(' "tgszeiadm', sign => [sign, sign.toUpperCase()].map(one => one.charCodeAt(0))).flat(),
)
const TOTAL =
  /^(?:(?:grand |sub|sub-)?totals?|sum|summe|(?:zwischen|teil|end|gesamt)summe|gesamt|gesamtergebnis|insgesamt|totaux|somme|suma|ergebnis)\b.{0,20}$/i
/** Elsewhere a level of something. */
const MEAN = /^(?:average|durchschnitt|mittelwert|moyenne)\b.{0,20}$/i

/** The first cell of the last row is the only one that is empty, and there are digits beside it. */
function isUnnamed([first = [], ...others]: RawTable['columns'], rows: number): boolean {
  const isEmpty = (cell: unknown) => cell === null || cell === ''
  if (!isEmpty(first[rows - 1]) || !others.some(column => /\d/.test(String(column[rows - 1] ?? '')))) return false
  return first.slice(0, -1).every(cell => !isEmpty(cell))
}
