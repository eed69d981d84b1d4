/** How often there is a value: the places of moments on a regular calendar, and the names of places. */
import { Refusal } from '../../../src/brief.ts'
import { isInCalendar, type Moment } from '../../table/moment.ts'
import type { FrequencyName } from '../input.ts'

export interface Frequency {
  /** One of the names, or for example `every 10 minutes`. */
  readonly name: string
  /** After how many steps the year, the week, the day come round; the shortest first. */
  readonly periods: readonly number[]
  /** Which step of the calendar a moment falls into. Not a whole number where it lies between two. */
  place(at: number): number
  /** The moment at which a step begins. */
  moment(place: number): number
}

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
const WEEK = 7 * DAY
/** 1970-01-05, a Monday. */
const MONDAY = 4 * DAY

/** A frequency by its name; steps of weeks are counted from the first moment. */
export function frequencyNamed(name: FrequencyName, first: number): Frequency {
  switch (name) {
    case 'yearly':
      return months(name, 12, [])
    case 'quarterly':
      return months(name, 3, [4])
    case 'monthly':
      return months(name, 1, [12])
    case 'weekly':
      return even(name, WEEK, first, [52])
    case 'daily':
      return even(name, DAY, first, [7, 365])
    case 'business_daily':
      return businessDays
    case 'hourly':
      return even(name, HOUR, first, [24, 168])
    case 'half_hourly':
      return even(name, HOUR / 2, first, [48, 336])
    case 'quarter_hourly':
      return even(name, HOUR / 4, first, [96, 672])
    case 'minutely':
      return even(name, HOUR / 60, first, [60, 1440])
  }
}

/** What the distances between most of the moments say; they are in order. Undefined where most distances differ. */
export function frequencyOf(moments: readonly Moment[]): Frequency | undefined {
  const times = moments.map(({ at }) => at)
  const first = times[0] ?? 0
  // The same time twice is somebody else's question.
  const gaps = times
    .slice(1)
    .map((at, i) => at - (times[i] ?? at))
    .filter(gap => gap > 0)
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0
  if (usual <= 0) return undefined
  const days = usual / DAY
  const named = (name: FrequencyName) => frequencyNamed(name, first)
  if (days > 358 && days < 373) return named('yearly')
  if (days > 88 && days < 94) return named('quarterly')
  if (days > 28.5 && days < 31.5) return named('monthly')
  if (days > 27.5 && days <= 28.5)
    return isMonthly(times) ? named('monthly') : even('every 4 weeks', 4 * WEEK, first, [13])
  if (days > 6.5 && days < 7.5) return named('weekly')
  if (days > 0.95 && days < 1.05) return named(times.length >= 8 && times.every(isWeekday) ? 'business_daily' : 'daily')
  if (usual === HOUR) return named('hourly')
  if (usual === HOUR / 2) return named('half_hourly')
  if (usual === HOUR / 4) return named('quarter_hourly')
  if (usual === HOUR / 60) return named('minutely')
  const same = gaps.filter(gap => gap === usual).length
  if (same * 2 < gaps.length || usual < SECOND || usual > 400 * DAY) return undefined
  return even(`every ${spoken(usual)}`, usual, first, dailyPeriods(usual))
}

/** How a step is written: as exactly as its frequency is. Throws a `Refusal` beyond the years that people write. */
export function nameOfMoment(frequency: Frequency, place: number, zoned: boolean): string {
  const at = frequency.moment(place)
  if (!isInCalendar(at))
    throw new Refusal('input.horizon', 'The forecast would go beyond the year 9999. Ask for fewer steps.')
  const iso = new Date(at).toISOString()
  if (frequency.name === 'yearly') return iso.slice(0, 4)
  if (frequency.name === 'quarterly') return `${iso.slice(0, 4)}-Q${Math.floor((Number(iso.slice(5, 7)) + 2) / 3)}`
  if (frequency.name === 'monthly') return iso.slice(0, 7)
  return at % DAY === 0 && frequency.moment(place + 1) % DAY === 0
    ? iso.slice(0, 10)
    : `${iso.slice(0, 19)}${zoned ? 'Z' : ''}`
}

/** The place of each moment on the calendar. Refuses what does not fit it. */
export function placesOf(frequency: Frequency, moments: readonly Moment[], param: string): readonly number[] {
  return moments.map(({ at }, i) => {
    const place = frequency.place(at)
    const whole = Math.round(place)
    // A summer time, or a week that a holiday moved by a day.
    if (Math.abs(place - whole) <= 0.2) return whole
    const seen = new Date(at).toISOString()
    throw new Refusal(
      param,
      `Value ${i + 1}, at ${seen}, does not fit values that are ${frequency.name.replaceAll('_', ' ')}. Bring the values to equal steps, or leave the times out.`,
    )
  })
}

function months(name: string, width: number, periods: readonly number[]): Frequency {
  return {
    name,
    periods,
    place: at => {
      const date = new Date(at)
      return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / width)
    },
    moment: place => {
      const date = new Date(0)
      date.setUTCFullYear(Math.floor((place * width) / 12), (place * width) % 12, 1)
      return date.getTime()
    },
  }
}

const even = (name: string, width: number, first: number, periods: readonly number[]): Frequency => ({
  name,
  periods,
  place: at => (at - first) / width,
  moment: place => first + place * width,
})

const businessDays: Frequency = {
  name: 'business_daily',
  periods: [5],
  place: at => {
    const days = Math.round((at - MONDAY) / DAY)
    const weekday = ((days % 7) + 7) % 7
    return Math.floor(days / 7) * 5 + (weekday < 5 ? weekday : 4.5)
  },
  moment: place => MONDAY + (Math.floor(place / 5) * 7 + (((place % 5) + 5) % 5)) * DAY,
}

const isWeekday = (at: number) => {
  const weekday = new Date(at).getUTCDay()
  return weekday > 0 && weekday < 6
}

/** Always on the same day of the month, as February's 28 days may be most of a short list. */
const isMonthly = (times: readonly number[]) => new Set(times.map(at => new Date(at).getUTCDate())).size === 1

/** The day and the week in steps, where a day has at least two and they are not too many to learn from. */
function dailyPeriods(width: number): readonly number[] {
  return [DAY, WEEK]
    .map(cycle => cycle / width)
    .filter(period => Number.isInteger(period) && period >= 2 && period <= 2000)
}

function spoken(width: number): string {
  for (const [unit, name] of [
    [DAY, 'days'],
    [HOUR, 'hours'],
    [60 * SECOND, 'minutes'],
  ] as const)
    if (width % unit === 0) return `${width / unit} ${name}`
  return `${width / SECOND} seconds`
}
