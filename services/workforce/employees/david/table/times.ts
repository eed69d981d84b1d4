/** Texts as a column of times, with the order of day and month that the column, the table or the input settles. */
import type { Conventions } from './conventions.ts'
import { digitTimes, isTimeName } from './digit-times.ts'
import { shown } from './foreign-text.ts'
import { type DayOrder, type Moment, readMoment } from './moment.ts'
import { isOneWord } from './month-names.ts'
import { firstOf, isNothing, type Reading, type Strange } from './reading.ts'
import { regularOrder } from './regular-order.ts'

export interface Times extends Reading {
  readonly zoned: boolean
}

/** Of eight times one other cell is taken for a mistake. */
const MISTAKES = 1 / 8

/** Undefined where the cells are no times. `isNamed`: the column is to be read as times, whatever it looks like. */
export function readTimes(
  name: string,
  texts: readonly string[],
  conventions: Conventions,
  isNamed = false,
): Times | undefined {
  if (!texts.some(isZero)) return readDays(name, texts, conventions, isNamed)
  const zeros = texts.flatMap((text, i) => (isZero(text) ? { text, row: i + 1 } : []))
  const others = texts.map(text => (isZero(text) ? '' : text))
  const read = readDays(name, others, conventions, isNamed)
  return read && { ...read, strange: [...read.strange, ...zeros].sort((one, other) => one.row - other.row) }
}

/** What SAP and MySQL write for no day: `00.00.0000`, `00000000`, `0000-00-00 00:00:00`. */
const isZero = (text: string) =>
  text.startsWith('00') && /^(?:00([./-])00\1|0000)0000$|^0000-00-00(?: 00:00:00(?:\.0+)?)?$/.test(text)

function readDays(
  name: string,
  texts: readonly string[],
  conventions: Conventions,
  isNamed: boolean,
): Times | undefined {
  const sample = firstOf(texts)
  if (sample.length === 0) return undefined
  if (!isNamed && new Set(sample).size > 1 && !isTimeName(name) && isOneWord(sample)) return undefined
  const inDigits = digitTimes(name, texts, isNamed)
  // Names in digits are no years.
  if (!inDigits && !isNamed && sample.every(text => /^\s*\d+\s*$/.test(text))) return undefined
  const read = inDigits?.read ?? readMoment
  const either = (text: string) => read(text, 'day first') ?? read(text, 'month first')
  const others = sample.filter(text => either(text) === undefined)
  if (!few(others.length, sample.length)) return undefined
  const { order, said } = settled(name, texts, conventions, read)
  // Days come again, so each text is read once.
  const known = new Map<string, Moment | undefined>()
  const strange: Strange[] = []
  let [zoned, short, found]: [boolean, Strange | undefined, number] = [false, undefined, 0]
  let unzoned: Strange | undefined
  const values = Float64Array.from(texts, (text, i) => {
    if (isNothing(text)) return Number.NaN
    if (!known.has(text)) known.set(text, read(text, order))
    const moment = known.get(text)
    if (moment === undefined) {
      strange.push({ text, row: i + 1 })
      return Number.NaN
    }
    found++
    zoned ||= moment.zoned
    if (!moment.zoned && moment.grain === 'time') unzoned ??= { text, row: i + 1 }
    if (moment.shortYear) short ??= { text, row: i + 1 }
    return moment.at
  })
  if (!few(strange.length, found + strange.length)) return undefined
  return {
    values,
    strange,
    zoned,
    said: [
      ...(inDigits ? [inDigits.said] : []),
      ...said,
      ...shortSaid(name, short, text => read(text, order)),
      ...zoneSaid(name, zoned, unzoned),
      ...farSaid(name, texts, values),
    ],
  }
}

function shortSaid(name: string, short: Strange | undefined, read: (text: string) => Moment | undefined) {
  const moment = short && read(short.text)
  if (short === undefined || moment === undefined) return []
  const hint = YEAR_FIRST.test(short.text) ? ' Write all four digits if the year is first.' : ''
  return [
    `${shown(name)} has years of two digits: ${shown(short.text)} in row ${short.row} is read as ${dayOf(moment.at)}.${hint}`,
  ]
}

/** May have the year first: `26/01/13`. */
const YEAR_FIRST = /^\s*\d{2}([-/])\d{1,2}\1\d{2}(?!\d)/

/** Thailand counts 543 years more. */
function farSaid(name: string, texts: readonly string[], values: Float64Array) {
  const row = values.findIndex(value => !Number.isNaN(value))
  // Of 9999-12-31 alone nothing is said: it stands for no end.
  return values.every(value => Number.isNaN(value) || value >= FAR) && values.some(value => value < BEYOND)
    ? [
        `${shown(name)} has only years after 2400, as ${shown(texts[row] ?? '')} in row ${row + 1}. Subtract 543 if they are of the Buddhist calendar.`,
      ]
    : []
}

const FAR = Date.UTC(2400, 0, 1)
const BEYOND = Date.UTC(2800, 0, 1)

const zoneSaid = (name: string, zoned: boolean, unzoned: Strange | undefined) =>
  zoned && unzoned
    ? [
        `${shown(name)} has times with a zone and others without, for example ${shown(unzoned.text)} in row ${unzoned.row}, which is read as UTC.`,
      ]
    : []

const few = (strange: number, all: number) => strange <= all * MISTAKES

/** A day for a sentence. */
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

type Read = (text: string, order: DayOrder) => Moment | undefined

function settled(
  name: string,
  texts: readonly string[],
  { order: convention }: Conventions,
  read: Read,
): { readonly order: DayOrder; readonly said: readonly string[] } {
  if (convention?.isGiven) return { order: convention.is, said: [] }
  let [dayFirst, monthFirst] = [0, 0]
  let unsure: string | undefined
  for (const text of new Set(texts)) {
    const [byDay, byMonth] = [read(text, 'day first'), read(text, 'month first')]
    if (byDay?.at === byMonth?.at) continue
    if (byMonth === undefined) dayFirst++
    else if (byDay === undefined) monthFirst++
    else unsure ??= text
  }
  if (dayFirst + monthFirst > 0) return { order: dayFirst >= monthFirst ? 'day first' : 'month first', said: [] }
  if (unsure === undefined) return { order: 'month first', said: [] }
  const { is, by } = convention ?? regularOrder(texts, read)
  const at = read(unsure, is)?.at ?? 0
  return {
    order: is,
    said: [
      `${shown(name)} is read with the ${is}${by === '' ? '' : `, ${by}`}: ${shown(unsure)} as ${dayOf(at)}. Say \`date_order\` if it is the other.`,
    ],
  }
}
