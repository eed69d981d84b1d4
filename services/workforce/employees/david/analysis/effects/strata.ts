/** What is left of a difference of shares among rows of one category, by the method of Mantel and Haenszel. */
import { identifier } from '../../table/database.ts'
import { differenceOf, rowsOf, type Shares, stratified, whatOf } from '../statistics/mantel-haenszel.ts'
import { type Control, isObvious, mostAgainst, verdictOf } from './control.ts'
import type { Groups, Part } from './groups.ts'

/** The share of `what` in the rows of `where`, against that elsewhere. */
export interface Cell {
  readonly where: Part
  readonly what: Part
}

/** Groups within which hardly any of what is told varies are a finer way to say it: they explain nothing. */
const LEAST_VARYING = 0.2
/** Of the rows, what is looked at within groups. */
const LEAST_ROWS_USED = 0.8

/** The category that says the most against it; undefined where there is none to hold it against. */
export function controlOfShares(cell: Cell, groups: readonly Groups[], level: number): Control | undefined {
  const names = [cell.where.of.column, cell.what.of.column]
  const whole = tableOf(cell)
  const all = groups.flatMap(one => (names.includes(one.column) ? [] : (within(cell, one, level, whole) ?? [])))
  return mostAgainst(all, Math.sign(differenceOf(whole)))
}

function within(cell: Cell, strata: Groups, level: number, whole: Shares): Control | undefined {
  if (!isObvious(strata)) return undefined
  const tables = tablesOf(cell, strata).filter(({ there, elsewhere }) => there > 0 && elsewhere > 0)
  const rows = tables.reduce((sum, one) => sum + rowsOf(one), 0)
  if (rows < LEAST_ROWS_USED * rowsOf(whole)) return undefined
  if (varying(tables, one => one.there) < LEAST_VARYING * variance(whole, one => one.there) * (rows / rowsOf(whole)))
    return undefined
  if (varying(tables, whatOf) < LEAST_VARYING * variance(whole, whatOf) * (rows / rowsOf(whole))) return undefined
  const { difference: left, p } = stratified(tables)
  const difference = differenceOf(whole)
  // As a correlation of the two, so that one measure holds for all that is found.
  const scale = Math.sqrt(variance(whole, one => one.there) / variance(whole, whatOf))
  const kept = strata.groups.map(({ where }) => where).join(' OR ')
  return {
    column: strata.column,
    by: 'groups',
    verdict: verdictOf(difference * scale, left * scale, p > level),
    left,
    name: 'within_groups',
    sql: `SELECT within_groups, shares.* FROM (SELECT 100.0 * sum(w * (a - b)) / sum(w) AS within_groups FROM (SELECT count(*) FILTER (WHERE ${cell.where.group.where}) * count(*) FILTER (WHERE NOT (${cell.where.group.where})) / count(*) AS w, ${shareIn(cell, cell.where.group.where)} AS a, ${shareIn(cell, `NOT (${cell.where.group.where})`)} AS b FROM data WHERE ${knownIn(cell)} AND (${kept}) GROUP BY ${identifier(strata.column)})), (${sharesSql(cell)}) AS shares`,
  }
}

/** One row: the share there, elsewhere and the difference, in per cent. */
export const sharesSql = (cell: Cell): string =>
  `SELECT share_there - share_elsewhere AS difference, * FROM (SELECT 100.0 * ${shareIn(cell, cell.where.group.where)} AS share_there, 100.0 * ${shareIn(cell, `NOT (${cell.where.group.where})`)} AS share_elsewhere FROM data WHERE ${knownIn(cell)})`

const shareIn = ({ what }: Cell, where: string) =>
  `avg(CASE WHEN ${what.group.where} THEN 1 ELSE 0 END) FILTER (WHERE ${where})`
const knownIn = ({ where, what }: Cell) => `${where.of.known} AND ${what.of.known}`

/** Of being one of those that `part` counts, times the rows. */
function variance(counts: Shares, part: (counts: Shares) => number): number {
  const [rows, those] = [rowsOf(counts), part(counts)]
  return (those * (rows - those)) / rows
}
const varying = (tables: readonly Shares[], part: (counts: Shares) => number) =>
  tables.reduce((sum, one) => sum + variance(one, part), 0)

const none = (): Shares => ({ there: 0, elsewhere: 0, whatThere: 0, whatElsewhere: 0 })
const tableOf = (cell: Cell): Shares => tablesOf(cell)[0] ?? none()

/** One for each of the strata; one of all rows without them. */
function tablesOf({ where, what }: Cell, strata?: Groups): Shares[] {
  const tables = Array.from({ length: strata ? strata.groups.length : 1 }, none)
  const [isThere, isWhat] = [where, what].map(({ places }) => new Set(places)) as [Set<number>, Set<number>]
  for (let row = 0; row < where.of.all.length; row++) {
    const counts = tables[strata ? (strata.codes[row] ?? -1) : 0]
    if (!counts || (where.of.all[row] ?? -1) < 0 || (what.of.all[row] ?? -1) < 0) continue
    const has = isWhat.has(what.of.codes[row] ?? -1)
    if (isThere.has(where.of.codes[row] ?? -1)) {
      counts.there++
      if (has) counts.whatThere++
    } else {
      counts.elsewhere++
      if (has) counts.whatElsewhere++
    }
  }
  return tables
}
