/** What the columns of a table hold: numbers, times, categories or texts. */
import { oneLine, shown } from './foreign-text.ts'
import { type DayOrder, dayOrderOf, readMoment } from './moment.ts'
import { hasDecimalComma, isDesignation, readNumber } from './number.ts'
import { plainForm } from './number-form.ts'
import type { RawTable, Value } from './raw-table.ts'

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

/** What is written where there is no text. */
const NOTHING = new Set(['', 'na', 'n/a', 'nan', 'null', '#n/a'])
/** Texts of which there are more are no categories. */
const MOST_LEVELS = 100
const LONGEST_LEVEL = 200
/** So few cells among numbers or times that are none are taken for mistakes: one in a hundred. */
const MISTAKES = 0.01
const SAMPLE = 200

/** `times` names a column that is to be read as times, whatever it looks like. */
export function typed({ names, columns, rows, warnings }: RawTable, times?: string): Table {
  const told = [...warnings]
  const done = names.map((name, i) => {
    const { column, strange, said } = columnOf(name, columns[i] ?? [], name === times)
    if (strange.length > 0) told.push(strangeSaid(column, strange))
    if (said !== undefined) told.push(said)
    return column
  })
  return { columns: done, rows, warnings: told }
}

function strangeSaid({ name, type }: Column, strange: readonly string[]): string {
  const [cells, is] = strange.length === 1 ? ['One cell', 'is'] : [`${strange.length} cells`, 'are']
  return `${cells} of ${shown(name)} ${is} not a ${type} and counted as missing, for example ${shown(strange[0] ?? '')}.`
}

interface Reading {
  readonly column: Column
  /** Cells that were not understood. */
  readonly strange: readonly string[]
  /** What a person should know of how it was read. */
  readonly said?: string
}

function columnOf(name: string, values: readonly Value[], asTimes: boolean): Reading {
  const first = values.find(value => value !== null)
  if (first instanceof Date && values.every(value => value === null || value instanceof Date))
    return { column: { name, type: 'time', values: Float64Array.from(values, timeOf) }, strange: [] }
  if (typeof first === 'number' && !asTimes && values.every(value => value === null || typeof value === 'number')) {
    const strange = values.flatMap(value => (typeof value === 'number' && !isUsable(value) ? String(value) : []))
    return { column: { name, type: 'number', values: Float64Array.from(values, numberOf) }, strange }
  }
  const texts = values.every(value => typeof value === 'string') ? values : values.map(textOf)
  const number = asTimes ? undefined : numbers(name, texts)
  if (number !== undefined) return number
  const time = times(name, texts)
  if (time !== undefined) return time
  const form = asTimes ? undefined : plainForm(texts)
  const formed = form && numbers(name, form.cells)
  if (form && formed) return { ...formed, said: `${shown(name)} is read as numbers: ${form.example}.` }
  const column = levels(name, texts)
  return { column, strange: [], ...saidOfText(column, texts) }
}

/** Of a column of text nearly all of whose cells are numbers: more than three of four. */
function saidOfText({ name, type }: LevelsColumn, texts: readonly string[]): Pick<Reading, 'said'> {
  const sample = [...firstOf(texts)]
  const others = sample.filter(text => readNumber(text, false) === undefined && readNumber(text, true) === undefined)
  const [other] = others
  if (other === undefined || others.length * 4 >= sample.length || sample.some(isDesignation)) return {}
  return {
    said: `${shown(name)} is taken for a ${type}, as ${shown(other)} in row ${texts.indexOf(other) + 1} is no number.`,
  }
}

const timeOf = (value: Value) => (value instanceof Date ? value.getTime() : Number.NaN)
const numberOf = (value: Value) => (typeof value === 'number' && isUsable(value) ? value : Number.NaN)
/** Whose squares can be added up. */
const isUsable = (value: number) => Math.abs(value) < 1e100
const textOf = (value: Value): string =>
  value === null ? '' : value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : String(value)

const isNothing = (text: string) => text.length <= 4 && NOTHING.has(text.trim().toLowerCase())

function numbers(name: string, texts: readonly string[]): Reading | undefined {
  const sample = [...firstOf(texts)]
  if (sample.length === 0 || sample.some(isDesignation)) return undefined
  if (
    !few(
      sample.filter(text => readNumber(text, false) === undefined && readNumber(text, true) === undefined),
      sample,
    )
  )
    return undefined
  const comma = texts.some(text => text.includes(',')) && hasDecimalComma(texts.filter(text => !isNothing(text)))
  const strange: string[] = []
  const values = new Float64Array(texts.length)
  let [found, designations] = [0, 0]
  texts.forEach((text, i) => {
    const value = isPlain(text) && !comma ? Number(text) : readNumber(text, comma)
    const unusable = value === undefined || !(Number.isNaN(value) || isUsable(value))
    if (unusable) strange.push(text)
    else if (!Number.isNaN(value)) found++
    if (text.charCodeAt(0) === ZERO && isDesignation(text)) designations++
    values[i] = unusable ? Number.NaN : value
  })
  return found > 0 && designations === 0 && few(strange, texts)
    ? { column: { name, type: 'number', values }, strange }
    : undefined
}

const [ZERO, NINE, POINT] = [48, 57, 46]

/** Digits and points alone, as nearly all are: read without a regular expression. */
function isPlain(text: string): boolean {
  if (text.length === 0 || text.length > 17) return false
  let points = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === POINT) points++
    else if (sign < ZERO || sign > NINE) return false
  }
  return points <= 1 && text.length > points
}

const few = (strange: readonly string[], all: readonly string[]) => strange.length <= all.length * MISTAKES

/** The first that say something: of a column that is something else no more is looked at. */
function* firstOf(texts: Iterable<string>): Generator<string, void> {
  let left = SAMPLE
  for (const text of texts) {
    if (isNothing(text)) continue
    yield text
    if (--left === 0) return
  }
}

/** Days come again, so each text is read once. */
function times(name: string, texts: readonly string[]): Reading | undefined {
  const sample = [...firstOf(texts)]
  const readable = (text: string) => readMoment(text, 'day first') ?? readMoment(text, 'month first')
  if (
    sample.length === 0 ||
    !few(
      sample.filter(text => readable(text) === undefined),
      sample,
    )
  )
    return undefined
  const distinct = [...new Set(texts)].filter(text => !isNothing(text))
  const found = dayOrderOf(distinct.filter(text => readable(text) !== undefined))
  const order: DayOrder = found === undefined || found === 'either' ? 'month first' : found
  const read = new Map(distinct.map(text => [text, readMoment(text, order)?.at]))
  const strange = texts.filter(text => !isNothing(text) && read.get(text) === undefined)
  if (!few(strange, texts)) return undefined
  return {
    column: { name, type: 'time', values: Float64Array.from(texts, text => read.get(text) ?? Number.NaN) },
    strange,
  }
}

function levels(name: string, texts: readonly string[]): LevelsColumn {
  const places = new Map<string, number>()
  const read = new Map<string, number>()
  const codes = Int32Array.from(texts, text => {
    if (isNothing(text)) return -1
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
