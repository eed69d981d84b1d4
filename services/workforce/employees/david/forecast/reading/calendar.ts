/** Values with times, put on the calendar: one place for every step from the first value to the last. */
import { Refusal } from '../../../src/brief.ts'
import { shown } from '../../table/foreign-text.ts'
import { type DayOrder, dayOrderOf, type Moment, readMoment } from '../../table/moment.ts'
import type { FrequencyName } from '../input.ts'
import { endingSaid } from './ending.ts'
import { type Frequency, frequencyNamed, frequencyOf, nameOfMoment, placesOf } from './frequency.ts'
import type { RawSeries } from './raw-series.ts'

export interface Placed {
  /** From the first value that is there to the last; not a number where one is missing. */
  readonly slots: Float64Array
  readonly frequency: Frequency
  /** The place of the first slot on the calendar of the frequency. */
  readonly first: number
  readonly zoned: boolean
  readonly warnings: readonly string[]
}

interface Row {
  readonly moment: Moment
  readonly value: number
}

/** Throws a `Refusal` where the times can't be read, or are not those of values at equal steps. */
export function onCalendar(
  series: RawSeries & { readonly timestamps: readonly string[] },
  named?: FrequencyName,
): Placed {
  const { name, values, timestamps } = series
  if (timestamps.length !== values.length)
    throw new Refusal('input', `${shown(name)} has ${values.length} values and ${timestamps.length} times.`)
  const order = dayOrderOf(timestamps)
  if (order === undefined) {
    const unread = timestamps.find(text => !readMoment(text, 'day first') && !readMoment(text, 'month first'))
    const example = shown(unread ?? timestamps[0] ?? '')
    throw new Refusal(
      'input',
      `Not all times of ${shown(name)} can be read, for example ${example}. Write them as 2026-01-31 or 2026-01-31T13:00:00Z.`,
    )
  }
  const { by, rows, frequency } = readingOf(series, order, named)
  if (frequency === undefined)
    throw new Refusal(
      'input',
      `The times of ${shown(name)} are not at equal steps. Say \`frequency\`, bring the values to equal steps, or leave the times out.`,
    )
  const moments = rows.map(({ moment }) => moment)
  const places = placesOf(frequency, moments, 'input')
  const first = places[0] ?? 0
  const length = (places.at(-1) ?? 0) - first + 1
  // Also what keeps one wrong year from filling the memory.
  if (length > 3 * rows.length)
    throw new Refusal(
      'input',
      `${shown(name)} has ${rows.length} values on ${length} steps that are ${frequency.name.replaceAll('_', ' ')}. Say another \`frequency\`, or look for a wrong time.`,
    )
  const zoned = moments.some(moment => moment.zoned)
  const slots = new Float64Array(length).fill(Number.NaN)
  const again = new Map<number, number[]>()
  rows.forEach(({ value }, i) => {
    const place = places[i] ?? 0
    const [before, twice] = [slots[place - first] ?? Number.NaN, again.get(place)]
    if (twice) twice.push(value)
    else if (!Number.isNaN(before)) again.set(place, [before, value])
    slots[place - first] = value
  })
  const twice = [...again.keys()].map(place => nameOfMoment(frequency, place, zoned))
  if (again.size > 0 && !isClockTurnedBack(frequency, again, zoned, rows.length))
    throw new Refusal(
      'input',
      `${shown(name)} has two values for ${twice[0]}. Sum them up, or name the column of the series in \`series_column\`.`,
    )
  for (const [place, values] of again)
    slots[place - first] = values.reduce((sum, value) => sum + value, 0) / values.length
  const guessed =
    order === 'either'
      ? [`Times like ${shown(timestamps[0] ?? '')} are read with the ${by.slice(0, by.indexOf(' '))} first.`]
      : []
  const turned =
    twice.length > 0
      ? [
          `Two values were given for ${twice.slice(0, 3).join(', ')}${twice.length > 3 ? ' and other times' : ''}, as when clocks are turned back: their mean is taken.`,
        ]
      : []
  const ending = endingSaid(
    lastMissing(series, by, moments.at(-1)?.at ?? 0),
    values.length,
    nameOfMoment(frequency, first + length, zoned),
  )
  return { slots, frequency, first, zoned, warnings: [...guessed, ...turned, ...ending] }
}

/** Once a year clocks without a zone show one or two hours, in quarters up to eight steps, twice. */
function isClockTurnedBack(
  frequency: Frequency,
  again: ReadonlyMap<number, readonly number[]>,
  zoned: boolean,
  rows: number,
): boolean {
  const places = [...again.keys()]
  const step = frequency.moment(1) - frequency.moment(0)
  const years = Math.ceil((rows * step) / (365 * DAY)) + 1
  const days = new Set(places.map(place => Math.floor(frequency.moment(place) / DAY)))
  const isNight = places.every(place => new Date(frequency.moment(place)).getUTCHours() < 4)
  const isPair = [...again.values()].every(values => values.length === 2)
  return (
    !zoned &&
    step <= DAY / 24 &&
    days.size <= years &&
    places.length * step <= days.size * (DAY / 12) &&
    isNight &&
    isPair
  )
}

const DAY = 86_400_000

interface Reading {
  readonly by: DayOrder
  readonly rows: readonly Row[]
  readonly frequency: Frequency | undefined
}

/** 3/4/2026 by itself says nothing; that with one order all are at equal steps does. */
function readingOf(
  series: RawSeries & { readonly timestamps: readonly string[] },
  order: DayOrder | 'either',
  named?: FrequencyName,
): Reading {
  const [first, second] = (order === 'either' ? (['month first', 'day first'] as const) : [order]).map(
    (by): Reading => {
      const rows = rowsOf(series, by)
      const moments = rows.map(({ moment }) => moment)
      return { by, rows, frequency: named ? frequencyNamed(named, moments[0]?.at ?? 0) : frequencyOf(moments) }
    },
  )
  if (first === undefined) throw new Error('There is an order.')
  return first.frequency === undefined && second !== undefined ? second : first
}

/** Which of the values, from 1, are missing after the last time that has one. */
const lastMissing = (
  { values, timestamps }: RawSeries & { readonly timestamps: readonly string[] },
  by: DayOrder,
  last: number,
): readonly number[] =>
  timestamps.flatMap((text, i) =>
    Number.isNaN(values[i] ?? Number.NaN) && (readMoment(text, by)?.at ?? last) > last ? [i + 1] : [],
  )

/** In the order of time, without those whose value is missing. */
const rowsOf = (
  { values, timestamps }: RawSeries & { readonly timestamps: readonly string[] },
  by: DayOrder,
): readonly Row[] =>
  timestamps
    .flatMap((text, i) => {
      const moment = readMoment(text, by)
      const value = values[i] ?? Number.NaN
      return moment && !Number.isNaN(value) ? [{ moment, value }] : []
    })
    .toSorted((a, b) => a.moment.at - b.moment.at)
