/** What people write for a time, read without guessing: what can be read two ways is decided for a whole column. */
import { monthNamed, withoutWeekday } from './month-names.ts'

export interface Moment {
  /** Milliseconds since 1970, of the beginning of what is meant; the clock's own time is read as UTC where no zone is given. */
  readonly at: number
  /** How exactly it was written. */
  readonly grain: 'year' | 'quarter' | 'month' | 'day' | 'time'
  readonly zoned: boolean
  /** The year was written with two digits. */
  readonly shortYear?: true
}

/** Whether 3/4/2026 is in April or in March. */
export type DayOrder = 'day first' | 'month first'

/** The longest text that can be a time. */
const LONGEST = 40

/** Undefined where the text is no time of the years 1 to 9999. */
export function readMoment(text: string, order: DayOrder): Moment | undefined {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST) return undefined
  const named = NAMED.test(trimmed) ? withoutWeekday(trimmed.replaceAll(/[\u00A0\u202F]/g, ' ')) : undefined
  for (const read of named === undefined ? IN_DIGITS : IN_WORDS) {
    const found = read(named ?? trimmed, order)
    if (found !== undefined) return isInCalendar(found.at) ? found : undefined
  }
  return undefined
}

/** The order in which all can be read; undefined where a text can't be read in either, `either` where both serve. */
export function dayOrderOf(texts: readonly string[]): DayOrder | 'either' | undefined {
  let [dayFirst, monthFirst, differs] = [true, true, false]
  for (const text of texts) {
    const [byDay, byMonth] = [readMoment(text, 'day first'), readMoment(text, 'month first')]
    dayFirst &&= byDay !== undefined
    monthFirst &&= byMonth !== undefined
    differs ||= byDay?.at !== byMonth?.at
  }
  if (dayFirst && monthFirst) return differs ? 'either' : 'day first'
  return dayFirst ? 'day first' : monthFirst ? 'month first' : undefined
}

type Read = (text: string, order: DayOrder) => Moment | undefined

const year: Read = text => {
  const found = /^(\d{4})$/.exec(text)
  return found ? { at: utc(found[1], 1, 1), grain: 'year', zoned: false } : undefined
}

const quarter: Read = text => {
  const found = /^(\d{4})[- /]?[Qq]([1-4])$/.exec(text)
  const turned =
    /^[Qq]([1-4])[- /]?(\d{4})$/.exec(text) ??
    /^[Tt]([1-4])[- /]((?:19|20)\d{2})$/.exec(text) ??
    /^(?:([1-4])[Qq][- /]?|([1-4])\. ?Quartal )((?:19|20)\d{2})$/.exec(text) ??
    /^(?:[Qq]([1-4])|([1-4])[Qq])(?: ?'|[-/]'|\/)(\d{2})$/.exec(text)
  const [y, q] = found ? [found[1], found[2]] : turned ? [turned.at(-1), turned.slice(1, -1).find(Boolean)] : []
  if (q === undefined) return undefined
  const short = y?.length === 2 ? y : undefined
  return { at: utc(fullYear(y), Number(q) * 3 - 2, 1), grain: 'quarter', zoned: false, ...shortOf(short) }
}

/** Those that are numbers as well, `01.2026` and `202601`, in the years of our time alone. */
const month: Read = text => {
  const found = /^(\d{4})[-/](\d{1,2})$/.exec(text) ?? /^((?:19|20)\d{2})(\d{2})$/.exec(text)
  const turned = /^(\d{1,2})[-/](\d{4})$/.exec(text) ?? /^(\d{1,2})\.((?:19|20)\d{2})$/.exec(text)
  const [y, m] = found ? [found[1], found[2]] : turned ? [turned[2], turned[1]] : []
  return m === undefined ? undefined : { at: utc(y, Number(m), 1), grain: 'month', zoned: false }
}

/** `Jan 2026`, `January 2026`, `2026 Jan`, `2026-Jan`, `janeiro de 2026`; `Jan-26`, as Excel shows months. */
const namedMonth: Read = text => {
  const found = /^(\p{L}{3,12})(?: de |\.?[- /]?)(?:(\d{4})|'?(\d{2}))$/u.exec(text)
  const turned = /^(\d{4})[- ](\p{L}{3,12})\.?$/u.exec(text)
  const m = monthNamed(found?.[1] ?? turned?.[2] ?? '')
  if (m === undefined) return undefined
  const short = found?.[3]
  return {
    at: utc(fullYear(found?.[2] ?? turned?.[1] ?? short), m, 1),
    grain: 'month',
    zoned: false,
    ...shortOf(short),
  }
}

/** `2026-W05`: its Monday, and `2026-W05-3` (ISO 8601). */
const week: Read = text => {
  const found = /^(\d{4})-?W(\d{2})(?:-?([1-7]))?$/.exec(text)
  if (found === null || Number(found[2]) < 1 || Number(found[2]) > 53) return undefined
  const fourth = utc(found[1], 1, 4)
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY
  const first = monday + (Number(found[2]) - 1) * 7 * DAY
  // Not all years have a week 53. A week is of the year in which its Thursday is.
  if (new Date(first + 3 * DAY).getUTCFullYear() !== Number(found[1])) return undefined
  return { at: first + (Number(found[3] ?? 1) - 1) * DAY, grain: 'day', zoned: false }
}

/** `20260131`, also with the time of day. */
const compactDay: Read = text => {
  const found = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})(Z)?)?$/.exec(text)
  if (found === null) return undefined
  const [, y, m, d, hours, minutes, seconds, zone] = found
  return withClock(utc(y, Number(m), Number(d)), [hours, minutes, seconds, undefined, undefined, zone])
}

const CLOCK = String.raw`(?:(?:T|,?\s{1,3})(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s?([AP]\.?M\.?))?\s?(Z|UTC|GMT|[+-](?:0\d|1[0-5])(?::?[0-5]\d)?)?)?`
const ISO_DAY = new RegExp(`^(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})${CLOCK}$`, 'i')
const SLASHED_DAY = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(?:(\\d{4})|(\\d{2}))${CLOCK}$`, 'i')
const DAY_MONTH_YEAR = new RegExp(
  `^(\\d{1,2})(?:st|nd|rd|th|er)?\\.?[-/ ]?(?:de |of )?(\\p{L}{3,12})\\.?,?[-/ ]?(?:de )?(?:(\\d{4})|(\\d{2}))${CLOCK}$`,
  'iu',
)
const MONTH_DAY_YEAR = new RegExp(
  `^(\\p{L}{3,12})\\.?[- ](\\d{1,2})(?:st|nd|rd|th)?(?:,? |-)(?:(\\d{4})|(\\d{2}))${CLOCK}$`,
  'iu',
)

const day: Read = text => {
  const found = ISO_DAY.exec(text)
  return found ? withClock(utc(found[1], Number(found[2]), Number(found[3])), found.slice(4)) : undefined
}

/** With points the day comes first everywhere. */
const slashedDay: Read = (text, order) => {
  const found = SLASHED_DAY.exec(text)
  if (found === null) return undefined
  const [first, second] = [Number(found[1]), Number(found[3])]
  const [d, m] = order === 'day first' || found[2] === '.' ? [first, second] : [second, first]
  return { ...withClock(utc(fullYear(found[4] ?? found[5]), m, d), found.slice(6)), ...shortOf(found[5]) }
}

/** `12-Jan-26`, `1. Januar 2026`, `Jan 12, 2026`. */
const namedDay: Read = text => {
  const found = DAY_MONTH_YEAR.exec(text)
  const turned = found ? null : MONTH_DAY_YEAR.exec(text)
  const [, first, second, long, short, ...clock] = found ?? turned ?? []
  const [d, name] = found ? [first, second] : [second, first]
  const m = monthNamed(name ?? '')
  if (m === undefined) return undefined
  return { ...withClock(utc(fullYear(long ?? short), m, Number(d)), clock), ...shortOf(short) }
}

/** Letters that no time in digits has. */
const NAMED = /\p{L}{3}|^\p{L}{2}[., ]/u
const IN_DIGITS: readonly Read[] = [year, quarter, month, week, compactDay, day, slashedDay]
const IN_WORDS: readonly Read[] = [quarter, namedMonth, namedDay, day, slashedDay]

/** Of two digits as Excel reads them: 00 to 29 are of this century, 30 to 99 of the last. */
const fullYear = (year: string | undefined) => (year?.length === 2 ? `${Number(year) < 30 ? '20' : '19'}${year}` : year)

const shortOf = (year: string | undefined): { shortYear?: true } => (year === undefined ? {} : { shortYear: true })

type Clock = readonly (string | undefined)[]

function withClock(midnight: number, [hours, minutes, seconds, fraction, half, zone]: Clock): Moment {
  if (hours === undefined || minutes === undefined) return { at: midnight, grain: 'day', zoned: false }
  const [m, s, ms] = [Number(minutes), Number(seconds ?? 0), Math.floor(1000 * Number(`0.${fraction ?? 0}`))]
  const h = half === undefined ? Number(hours) : (Number(hours) % 12) + (/^p/i.test(half) ? 12 : 0)
  const isWrong = h > 24 || (h === 24 && m + s > 0) || m > 59 || s > 60 || (half !== undefined && Number(hours) > 12)
  if (isWrong) return { at: Number.NaN, grain: 'time', zoned: false }
  const offset = zone === undefined || /^[a-z]/i.test(zone) ? 0 : offsetOf(zone)
  return { at: midnight + ((h * 60 + m - offset) * 60 + s) * 1000 + ms, grain: 'time', zoned: zone !== undefined }
}

/** Minutes ahead of UTC. */
const offsetOf = (zone: string) =>
  (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + (zone.length > 3 ? Number(zone.slice(-2)) : 0))

const DAY = 86_400_000
const [FIRST, LAST] = [Date.parse('0001-01-01'), Date.parse('9999-12-31') + DAY - 1]

/** The years that everybody writes with four digits; not so what is not a number. */
export const isInCalendar = (at: number) => at >= FIRST && at <= LAST

/** Not a number where there is no such day. */
function utc(year: string | undefined, month: number, day: number): number {
  const y = Number(year)
  const date = new Date(0)
  date.setUTCFullYear(y, month - 1, day)
  const is = y >= 1 && date.getUTCFullYear() === y && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return is ? date.getTime() : Number.NaN
}
