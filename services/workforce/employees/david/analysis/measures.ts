/** Which columns of numbers measure something. Flags and codes are categories: nobody adds them up or ranks them. */
import type { Column, LevelsColumn, NumberColumn, Table } from '../table/columns.ts'
import { oneLine } from '../table/foreign-text.ts'

/** Few whole numbers are codes: of as many as four values up to 20, such as 1, 2 and 3 for three groups. */
const FEW = { values: 4, greatest: 20, rows: 20 } as const
/** Rows of each value, in the mean: else the numbers would be categories that nothing can be told of. */
const ROWS_OF_A_VALUE = 5
const MOST_VALUES = 100
const MOST_NAMED = 10

/** The table with its flags and codes as categories, but for the columns that are `measures` whatever they look like. */
export function withCategories({ columns, rows, warnings }: Table, measures: readonly string[] = []): Table {
  const reasons = new Map<Reason, string[]>()
  const read = columns.map((column): Column => {
    if (column.type !== 'number' || measures.includes(column.name)) return column
    const values = valuesOf(column, isUnitName(column.name) ? column.values.length : MOST_VALUES)
    const reason = values && reasonOf(column, values)
    if (!reason) return column
    reasons.set(reason, [...(reasons.get(reason) ?? []), column.name])
    return levelsOf(column, values, SAID[reason].as)
  })
  const told = [...reasons].map(([reason, names]) => {
    const more = names.length - MOST_NAMED
    const those = names.slice(0, MOST_NAMED).map(name => `"${oneLine(name)}"`)
    const isOne = names.length === 1
    const { as, one, several } = SAID[reason]
    const kind = as === 'text' ? 'text' : isOne ? 'a category' : 'categories'
    const said = isOne ? `is read as ${kind}, as it ${one}` : `are read as ${kind}, as they ${several}`
    return `${those.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${said}. Name ${isOne ? 'it' : 'them'} in \`measure_columns\` if ${isOne ? 'it measures' : 'they measure'} something.`
  })
  return { columns: read, rows, warnings: [...warnings, ...told] }
}

type Reason = keyof typeof SAID

const SAID = {
  flag: { as: 'category', one: 'holds only 0 and 1', several: 'hold only 0 and 1' },
  few: { as: 'category', one: 'holds few whole numbers', several: 'hold few whole numbers' },
  named: { as: 'category', one: 'is called like a code', several: 'are called like codes' },
  unit: {
    as: 'text',
    one: 'is called like a code, with few rows of each value',
    several: 'are called like codes, with few rows of each value',
  },
  blocks: {
    as: 'category',
    one: 'numbers the groups that the rows stand in',
    several: 'number the groups that the rows stand in',
  },
} as const

function reasonOf({ name, values: all }: NumberColumn, { order, rows, runs }: Values): Reason | undefined {
  const [least = 0, most = 0] = [order[0], order.at(-1)]
  if (order.length === 2 && least === 0 && most === 1) return rows >= ROWS_OF_A_VALUE ? 'flag' : undefined
  if (order.length < 2 || least < 0) return undefined
  const isCounted = least <= 1 && most - least + 1 === order.length
  if (order.length * ROWS_OF_A_VALUE > rows || order.length > MOST_VALUES)
    // Counts of customers, in a column called “customer”, neither come again nor go up by one.
    return isUnitName(name) && (isCounted || order.length * 2 <= rows) ? 'unit' : undefined
  if (order.length <= FEW.values && most <= FEW.greatest && rows >= FEW.rows) return 'few'
  if (isUnitName(name) || most <= (COMING_ROUND.get(lastWords(name)[0] ?? '') ?? -1)) return 'named'
  return isCounted && order.length > 2 && runs === order.length && rows === all.length ? 'blocks' : undefined
}

/** `group`, `store_type`, `pooled.stratum`, `block no`: what rows belong to, and never how much of something there is. */
function isUnitName(name: string): boolean {
  const parts = lastWords(name.replace(/(?<=[a-z])\d{1,2}$/i, ''))
  const [unit = '', before = ''] = NUMBERS.has(parts[0] ?? '') ? parts.slice(1) : parts
  return (UNITS.has(unit) && !RELATIONS.has(before)) || (unit === 'set' && before === 'matched')
}

/** The words of a name, the last first. */
const lastWords = (name: string): string[] =>
  name
    .trim()
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[\s_.-]+/)
    .filter(Boolean)
    .toReversed()

const words = (text: string) => new Set(text.split(' '))
const NUMBERS = words('number num no nr nummer')
/** What stands behind one of them is what a measure is of: `cost_per_zone`. */
const RELATIONS = words('per in by of each')
const UNITS = words(
  [
    'type class category group grp cluster status sex gender race region district department store branch',
    'subject patient customer client employee participant respondent individual operator rater judge',
    'stratum strata strat psu ssu sector zone block batch lot litter herd cohort cell plot replicate rep fold pair specimen species',
    'site centre center ward clinic hospital school classroom precinct tract',
    'gruppe klasse kategorie geschlecht filiale abteilung schicht groupe classe catégorie',
  ].join(' '),
)
const COMING_ROUND = new Map([
  ['month', 12],
  ['quarter', 4],
  ['weekday', 7],
  ['dow', 7],
])

interface Values {
  /** The different ones, the smallest first. */
  readonly order: readonly number[]
  /** In which a value is known. */
  readonly rows: number
  /** Stretches of rows with the same value. */
  readonly runs: number
}

/** Undefined where some are not whole, or too many differ. */
function valuesOf({ values }: NumberColumn, mostValues: number): Values | undefined {
  const different = new Set<number>()
  let [rows, runs, before] = [0, 0, Number.NaN]
  for (const value of values) {
    if (Number.isNaN(value)) continue
    if (!Number.isSafeInteger(value)) return undefined
    different.add(value)
    if (different.size > mostValues) return undefined
    rows++
    if (value !== before) runs++
    before = value
  }
  return { order: [...different].toSorted((a, b) => a - b), rows, runs }
}

function levelsOf({ name, values }: NumberColumn, { order }: Values, type: LevelsColumn['type']): LevelsColumn {
  const places = new Map(order.map((value, place) => [value, place]))
  return {
    name,
    type,
    levels: order.map(String),
    codes: Int32Array.from(values, value => places.get(value) ?? -1),
  }
}
