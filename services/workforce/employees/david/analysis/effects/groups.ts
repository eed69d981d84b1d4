/** Rows in groups: by a column of categories, or by whether a value is missing. */
import { type Column, levelSaid } from '../../table/columns.ts'
import { identifier, literal } from '../../table/database.ts'
import { oneLine } from '../../table/foreign-text.ts'
import type { Axis } from '../sample.ts'

export interface Groups {
  readonly column: string
  readonly by: 'level' | 'missing'
  readonly codes: Int32Array
  /** The value of each row, also where it is no group; -1 where it is missing. */
  readonly all: Int32Array
  /** Whether some values come too rarely to be groups. */
  readonly hasRare: boolean
  /** Whether some groups are left out of `codes`, as too few of their rows have the value that is compared. */
  readonly hasFew?: boolean
  readonly groups: readonly Group[]
  /** How like the group of each row is that of the one before it in time; 0 where there is no time. */
  readonly persistence: number
  /** Which rows are in a group at all, in a query. */
  readonly known: string
}

export interface Group {
  /** For a sentence: `region is “north”`. */
  readonly said: string
  /** The group itself: `“north”`. */
  readonly label: string
  /** In a query. */
  readonly where: string
  readonly count: number
  /** What nobody speaks of, as the other says the same: `no` beside `yes`. */
  readonly isUnspoken?: boolean
}

/** Some of the groups of a column, taken together. */
export interface Part {
  readonly of: Groups
  readonly places: readonly number[]
  readonly group: Group
}

/** Fewer rows are no group. */
export const LEAST_ROWS = 5

const UNSPOKEN = new Map([
  ['0', '1'],
  ['no', 'yes'],
  ['n', 'y'],
  ['false', 'true'],
])

/** Of the levels that come often enough; undefined where fewer than two do. */
export function groupsByLevel(column: Column, axis: Axis | undefined): Groups | undefined {
  if (column.type !== 'category') return undefined
  const { name, levels, codes } = column
  const counts = new Uint32Array(levels.length)
  for (const code of codes) if (code >= 0) counts[code] = (counts[code] ?? 0) + 1
  const kept = [...levels.keys()].filter(level => (counts[level] ?? 0) >= LEAST_ROWS)
  if (kept.length < 2) return undefined
  const isFlag = (level = '') =>
    levels.length === 2 && levels.some(one => one.toLowerCase() === UNSPOKEN.get(level.toLowerCase()))
  const places = Int32Array.from(levels, (_, level) => kept.indexOf(level))
  const inGroups = codes.map(code => places[code] ?? -1)
  return {
    column: name,
    by: 'level',
    codes: inGroups,
    all: codes,
    hasRare: kept.length < levels.length,
    persistence: axis ? persistenceOf(inGroups, axis) : 0,
    groups: kept.map(level => ({
      said: `${columnSaid(name)} is ${levelSaid(levels[level] ?? '')}`,
      label: levelSaid(levels[level] ?? ''),
      where: `${identifier(name)} = ${literal(levels[level] ?? '')}`,
      count: counts[level] ?? 0,
      isUnspoken: isFlag(levels[level]),
    })),
    known: `${identifier(name)} IS NOT NULL`,
  }
}

/** Undefined where nearly all are missing, or nearly none. */
export function groupsByMissing(column: Column, axis: Axis | undefined): Groups | undefined {
  const { name } = column
  const values = column.type === 'number' || column.type === 'time' ? column.values : column.codes
  const codes = new Int32Array(values.length)
  let missing = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? 0
    // A code of -1, or a value that is not a number. Values below zero are numbers.
    if (values instanceof Float64Array ? !Number.isNaN(value) : value >= 0) continue
    codes[row] = 1
    missing++
  }
  if (missing < LEAST_ROWS || codes.length - missing < LEAST_ROWS) return undefined
  const group = (is: string, where: string, count: number): Group => ({
    said: `${columnSaid(name)} is ${is}`,
    label: is,
    where: `${identifier(name)} ${where}`,
    count,
  })
  return {
    column: name,
    by: 'missing',
    codes,
    all: codes,
    hasRare: false,
    persistence: axis ? persistenceOf(codes, axis) : 0,
    groups: [group('there', 'IS NOT NULL', codes.length - missing), group('missing', 'IS NULL', missing)],
    known: 'true',
  }
}

/** Groups taken together that are named. */
const MOST_LABELS = 4

/** Named by the largest of them. Throws where there is none. */
export function partOf(places: readonly number[], of: Groups): Part {
  const [only, ...others] = places.flatMap(place => of.groups[place] ?? [])
  if (only === undefined) throw new Error('There is a group.')
  if (others.length === 0) return { of, places, group: only }
  const all = [only, ...others].toSorted((x, y) => y.count - x.count)
  const labels = all.slice(0, MOST_LABELS).map(({ label }) => label)
  const more = all.length - labels.length
  const label = `${labels.join(', ')} or ${more === 1 ? 'one other' : `${more} others`}`
  const group = {
    label: more > 0 ? label : labels.join(' or '),
    where: `(${all.map(({ where }) => where).join(' OR ')})`,
    count: all.reduce((sum, { count }) => sum + count, 0),
  }
  return { of, places, group: { ...group, said: `${columnSaid(of.column)} is ${group.label}` } }
}

/** The rows that are in the same group as the one before them, beyond those that would be by chance. */
function persistenceOf(codes: Int32Array, { order }: Axis): number {
  const counts = new Map<number, number>()
  let [before, pairs, same] = [-1, 0, 0]
  for (const row of order) {
    const code = codes[row] ?? -1
    if (code < 0) continue
    if (before >= 0) pairs++
    if (code === before) same++
    counts.set(code, (counts.get(code) ?? 0) + 1)
    before = code
  }
  const chance = [...counts.values()].reduce((sum, count) => sum + (count / (pairs + 1)) ** 2, 0)
  return pairs === 0 || chance >= 1 ? 0 : Math.max(0, (same / pairs - chance) / (1 - chance))
}

export const columnSaid = (name: string) => oneLine(name)
