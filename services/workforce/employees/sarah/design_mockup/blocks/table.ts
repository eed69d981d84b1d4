/** A table of data. On a phone each row is a small list, its columns named in it. */
import { box, type Part, said } from '../page/part.ts'
import type { Table } from '../result.ts'
import type { Place } from './place.ts'
import { section } from './section.ts'

export function table(block: Table, place: Place): Part {
  const { columns, rows } = block
  const numeric = columns.map((_, at) => at > 0 && rows.length > 0 && areNumbers(rows.map(row => row[at] ?? '')))
  const heads = columns.map((column, at) =>
    said('th', numeric[at] ? 'column-number' : 'column-name', column, { role: 'columnheader', scope: 'col' }),
  )
  const bodyRows = rows.map(row =>
    columns.map((column, at) =>
      box(
        'td',
        'cell',
        [
          said('span', 'cell-name', column, { 'aria-hidden': 'true' }),
          said('span', numeric[at] ? 'cell-number' : 'cell-said', row[at] ?? ''),
        ],
        { role: 'cell' },
      ),
    ),
  )
  // A table that is laid out as boxes is one to a screen reader by its roles alone.
  const group = { role: 'rowgroup' }
  return section(block, place, { bare: true }, [
    box(
      'table',
      'table',
      [
        box('thead', 'table-part', [box('tr', 'table-head', heads, { role: 'row' })], group),
        box(
          'tbody',
          'table-part',
          bodyRows.map(cells => box('tr', 'table-row', cells, { role: 'row' })),
          group,
        ),
      ],
      { role: 'table', ...(block.title !== undefined && { 'aria-labelledby': place.id }) },
    ),
  ])
}

/** Each a number, or several in one unit that is longer: 656 ns/op. */
function areNumbers(cells: readonly string[]): boolean {
  const [unit, ...others] = cells.map(cell => IN_UNIT.exec(cell)?.[1])
  return cells.every(isNumber) || (unit !== undefined && others.length > 0 && others.every(other => other === unit))
}

const IN_UNIT = /^[–—+-]?\p{Nd}[\p{Nd}.,'’]*\s?([\p{L}°µ%][\p{L}\p{No}°µ%/·^-]{0,11})$/u

/** With a sign, a currency or a unit around it. */
const isNumber = (cell: string): boolean =>
  /^[^\p{L}\d]{0,4}\p{Nd}[\p{Nd}.,'’\s]*[^\p{L}\d]{0,3}\p{L}{0,3}$/u.test(cell) || /^[–—-]?$/.test(cell)
