/** What the columns of a table hold: numbers, times, categories or texts. */
import { codesSaid } from './codes.ts'
import { type Assumptions, type Conventions, conventionsOf } from './conventions.ts'
import { digitTimes } from './digit-times.ts'
import { oneLine, shown } from './foreign-text.ts'
import { missingWords } from './missing-words.ts'
import { numberSaid } from './number-said.ts'
import { isUsable, readNumbers } from './numbers.ts'
import { distinctNames, type RawTable, type Value } from './raw-table.ts'
import { isNothing, type Reading, strangeSaid } from './reading.ts'
import { signSaid } from './sign-said.ts'
import { standInSaid } from './stand-in-said.ts'
import { textSaid } from './text-said.ts'
import { readTimes } from './times.ts'
import { totalSaid } from './total-said.ts'
import { yearParts } from './year-parts.ts'

export type Column = NumberColumn | TimeColumn | LevelsColumn

interface Named {
  readonly name: string
}

export interface NumberColumn extends Named {
  readonly type: 'number'
  /** Not a number where it is missing. */
  readonly values: Float64Array
}

export interface TimeColumn extends Named {
  readonly type: 'time'
  /** Milliseconds since 1970; not a number where it is missing. */
  readonly values: Float64Array
}

/** Texts: few different ones that come again, or many. */
export interface LevelsColumn extends Named {
  readonly type: 'category' | 'text'
  /** The different texts, as they come first. */
  readonly levels: readonly string[]
  /** Which of the levels; -1 where it is missing. */
  readonly codes: Int32Array
}

export interface Table {
  readonly columns: readonly Column[]
  readonly rows: number
  readonly warnings: readonly string[]
}

/** Texts of which there are more are no categories. */
const MOST_LEVELS = 100
const LONGEST_LEVEL = 200

/** `times` names a column that is to be read as times, whatever it looks like. */
export function typed(raw: RawTable, times?: string, assumptions: Assumptions = {}): Table {
  const { names, columns, rows, warnings } = raw
  const conventions = conventionsOf(raw, assumptions)
  const told = [...warnings, ...totalSaid(names, columns, rows), ...signSaid(names, columns)]
  const joined = times === undefined ? yearParts(names, place => (columns[place] ?? []).map(textOf)) : undefined
  if (joined) told.push(joined.said)
  const done = names.map((name, i) => {
    const isJoined = joined?.year === i
    const { column, said } = isJoined
      ? columnOf(distinctNames([...names, joined.name]).at(-1) ?? name, joined.texts, conventions, true)
      : columnOf(name, columns[i] ?? [], conventions, name === times)
    told.push(...said)
    if (column.type === 'number' || column.type === 'time')
      told.push(...standInSaid(column.name, column.type, column.values))
    return joined?.parts.includes(i) ? levels(name, (columns[i] ?? []).map(textOf), isNothing) : column
  })
  return { columns: done, rows, warnings: told }
}

interface Told {
  readonly column: Column
  readonly said: readonly string[]
}

function columnOf(name: string, values: readonly Value[], conventions: Conventions, asTimes: boolean): Told {
  const first = values.find(value => value !== null)
  if (first instanceof Date && values.every(value => value === null || value instanceof Date))
    return { column: { name, type: 'time', values: Float64Array.from(values, timeOf) }, said: [] }
  const codes = asTimes ? undefined : codesSaid(name, values)
  if (codes !== undefined) return { column: levels(name, values.map(textOf), isNothing), said: [codes] }
  const areNumbers = typeof first === 'number' && values.every(value => value === null || typeof value === 'number')
  const areTimes = asTimes || inDigits(name, values)
  if (areNumbers && !areTimes) return numbersOf(name, values)
  const texts = values.every(value => typeof value === 'string') ? values : values.map(textOf)
  const told = (type: 'number' | 'time', { values, strange, said }: Reading): Told => ({
    column: { name, type, values },
    said: [...said, ...strangeSaid(name, type, strange), ...(type === 'number' ? numberSaid(name, values, texts) : [])],
  })
  const number = areTimes ? undefined : readNumbers(name, texts, conventions)
  if (number !== undefined) return told('number', number)
  const time = readTimes(name, texts, conventions, asTimes)
  if (time !== undefined) return told('time', time)
  const { isMissing, said } = missingWords(name, texts)
  const column = levels(name, texts, isMissing)
  return { column, said: [...said, ...textSaid(name, column.type, texts)] }
}

/** Whether the numbers of a column are times: the first of them decide. */
function inDigits(name: string, values: readonly Value[]): boolean {
  const sample: string[] = []
  for (const value of values) {
    if (value === null || value === '') continue
    if (typeof value !== 'string' && typeof value !== 'number') return false
    sample.push(String(value))
    if (sample.length === 200) break
  }
  return digitTimes(name, sample) !== undefined
}

function numbersOf(name: string, values: readonly Value[]): Told {
  const strange = values.flatMap((value, i) =>
    typeof value === 'number' && !isUsable(value) ? { text: String(value), row: i + 1 } : [],
  )
  const inexact = values.findIndex(value => typeof value === 'number' && isInexact(value))
  const read = Float64Array.from(values, numberOf)
  return {
    column: { name, type: 'number', values: read },
    said: [
      ...strangeSaid(name, 'number', strange),
      ...numberSaid(name, read),
      ...(inexact < 0
        ? []
        : [
            `${shown(name)} has whole numbers beyond 2^53, first in row ${inexact + 1}, whose last digits are lost. Send them as texts.`,
          ]),
    ],
  }
}

/** A whole number that others are rounded to. */
const isInexact = (value: number) => Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21

const timeOf = (value: Value) => (value instanceof Date ? value.getTime() : Number.NaN)
const numberOf = (value: Value) => (typeof value === 'number' && isUsable(value) ? value : Number.NaN)

/** A cell as it would be written. */
export const textOf = (value: Value): string =>
  value === null ? '' : value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : String(value)

function levels(name: string, texts: readonly string[], isMissing: (text: string) => boolean): LevelsColumn {
  const places = new Map<string, number>()
  const read = new Map<string, number>()
  const codes = Int32Array.from(texts, text => {
    if (isMissing(text)) return -1
    const known = read.get(text)
    if (known !== undefined) return known
    const level = readable(text)
    const place = places.get(level) ?? places.size
    places.set(level, place)
    read.set(text, place)
    return place
  })
  const distinct = [...places.keys()]
  const few =
    distinct.length <= Math.min(MOST_LEVELS, texts.length / 2) &&
    distinct.every(({ length }) => length <= LONGEST_LEVEL)
  return { name, type: few ? 'category' : 'text', levels: distinct, codes }
}

/** As it was written, save for what no database and no page can hold. */
const readable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** A level for a sentence. */
export const levelSaid = (level: string) => `“${oneLine(level).slice(0, 60)}”`
