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
    const values = valuesOf(column)
    const reason = values && reasonOf(column, values)
    if (!reason) return column
    reasons.set(reason, [...(reasons.get(reason) ?? []), column.name])
    return categoryOf(column, values)
  })
  const told = [...reasons].map(([reason, names]) => {
    const more = names.length - MOST_NAMED
    const those = names.slice(0, MOST_NAMED).map(name => `"${oneLine(name)}"`)
    const [are, they] = names.length === 1 ? ['is read as a category', 'it'] : ['are read as categories', 'they']
    const them = they === 'it' ? 'it measures' : 'they measure'
    return `${those.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${are}, as ${they} ${SAID[reason][names.length === 1 ? 0 : 1]}. Name ${they === 'it' ? 'it' : 'them'} in \`measure_columns\` if ${them} something.`
  })
  return { columns: read, rows, warnings: [...warnings, ...told] }
}

type Reason = keyof typeof SAID

const SAID = {
  flag: ['holds only 0 and 1', 'hold only 0 and 1'],
  few: ['holds few whole numbers', 'hold few whole numbers'],
  named: ['is called like a code', 'are called like codes'],
  blocks: ['numbers the groups that the rows stand in', 'number the groups that the rows stand in'],
} as const

function reasonOf({ name, values: all }: NumberColumn, { order, rows, runs }: Values): Reason | undefined {
  const [least = 0, most = 0] = [order[0], order.at(-1)]
  if (order.length === 2 && least === 0 && most === 1) return rows >= ROWS_OF_A_VALUE ? 'flag' : undefined
  if (order.length < 2 || least < 0 || order.length * ROWS_OF_A_VALUE > rows) return undefined
  if (order.length <= FEW.values && most <= FEW.greatest && rows >= FEW.rows) return 'few'
  if (isCodeWord(name, least, most)) return 'named'
  const isCounted = least <= 1 && most - least + 1 === order.length
  return isCounted && order.length > 2 && runs === order.length && rows === all.length ? 'blocks' : undefined
}

/** `group`, `store_type`; the parts of a date that come round. */
function isCodeWord(name: string, least: number, most: number): boolean {
  const last = name
    .trim()
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[\s_.-]+/)
    .at(-1)
  if (last === undefined) return false
  return CODES.has(last) || (least >= 0 && most <= (COMING_ROUND.get(last) ?? -1))
}

const CODES = new Set(
  'type class category group cluster status sex gender race region district department store branch subject patient customer client employee'.split(
    ' ',
  ),
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
function valuesOf({ values }: NumberColumn): Values | undefined {
  const different = new Set<number>()
  let [rows, runs, before] = [0, 0, Number.NaN]
  for (const value of values) {
    if (Number.isNaN(value)) continue
    if (!Number.isSafeInteger(value)) return undefined
    different.add(value)
    if (different.size > MOST_VALUES) return undefined
    rows++
    if (value !== before) runs++
    before = value
  }
  return { order: [...different].toSorted((a, b) => a - b), rows, runs }
}

function categoryOf({ name, values }: NumberColumn, { order }: Values): LevelsColumn {
  const places = new Map(order.map((value, place) => [value, place]))
  return {
    name,
    type: 'category',
    levels: order.map(String),
    codes: Int32Array.from(values, value => places.get(value) ?? -1),
  }
}
