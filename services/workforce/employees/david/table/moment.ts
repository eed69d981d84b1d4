/** What people write for a time, read without guessing: what can be read two ways is decided for a whole column. */

export interface Moment {
  /** Milliseconds since 1970, of the beginning of what is meant; the clock's own time is read as UTC where no zone is given. */
  readonly at: number
  /** How exactly it was written. */
  readonly grain: 'year' | 'quarter' | 'month' | 'day' | 'time'
  readonly zoned: boolean
}

/** Whether 3/4/2026 is in April or in March. */
export type DayOrder = 'day first' | 'month first'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** The longest text that can be a time. */
const LONGEST = 40

/** Undefined where the text is no time of the years 1 to 9999. */
export function readMoment(text: string, order: DayOrder): Moment | undefined {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST) return undefined
  for (const read of [year, quarter, month, namedMonth, week, compactDay, day, slashedDay]) {
    const found = read(trimmed, order)
    if (found !== undefined) return isInCalendar(found.at) ? found : undefined
  }
  return undefined
}

/** The order in which all can be read; undefined where a text can't be read in either, `either` where both serve. */
export function dayOrderOf(texts: readonly string[]): DayOrder | 'either' | undefined {
  const serves = (order: DayOrder) => texts.every(text => readMoment(text, order) !== undefined)
  const [dayFirst, monthFirst] = [serves('day first'), serves('month first')]
  if (dayFirst && monthFirst) return texts.some(text => /^\d{1,2}[/-]/.test(text.trim())) ? 'either' : 'day first'
  return dayFirst ? 'day first' : monthFirst ? 'month first' : undefined
}

type Read = (text: string, order: DayOrder) => Moment | undefined

const year: Read = text => {
  const found = /^(\d{4})$/.exec(text)
  return found ? { at: utc(found[1], 1, 1), grain: 'year', zoned: false } : undefined
}

const quarter: Read = text => {
  const found = /^(\d{4})[- /]?[Qq]([1-4])$/.exec(text)
  const turned = /^[Qq]([1-4])[- /]?(\d{4})$/.exec(text)
  const [y, q] = found ? [found[1], found[2]] : turned ? [turned[2], turned[1]] : []
  return q === undefined ? undefined : { at: utc(y, Number(q) * 3 - 2, 1), grain: 'quarter', zoned: false }
}

/** Those that are numbers as well, `01.2026` and `202601`, in the years of our time alone. */
const month: Read = text => {
  const found = /^(\d{4})[-/](\d{1,2})$/.exec(text) ?? /^((?:19|20)\d{2})(\d{2})$/.exec(text)
  const turned = /^(\d{1,2})[-/](\d{4})$/.exec(text) ?? /^(\d{1,2})\.((?:19|20)\d{2})$/.exec(text)
  const [y, m] = found ? [found[1], found[2]] : turned ? [turned[2], turned[1]] : []
  return m === undefined ? undefined : { at: utc(y, Number(m), 1), grain: 'month', zoned: false }
}

/** `Jan 2026`, `January 2026`, `2026 Jan`, `2026-Jan`. */
const namedMonth: Read = text => {
  const found = /^([A-Za-z]{3,9})\.?[- ](\d{4})$/.exec(text)
  const turned = /^(\d{4})[- ]([A-Za-z]{3,9})\.?$/.exec(text)
  const [y, name] = found ? [found[2], found[1]] : turned ? [turned[1], turned[2]] : []
  const m = name === undefined ? -1 : MONTHS.indexOf(name.slice(0, 3).toLowerCase())
  return m < 0 ? undefined : { at: utc(y, m + 1, 1), grain: 'month', zoned: false }
}

/** `2026-W05`: its Monday (ISO 8601). */
const week: Read = text => {
  const found = /^(\d{4})-?W(\d{2})$/.exec(text)
  if (found === null || Number(found[2]) < 1 || Number(found[2]) > 53) return undefined
  const fourth = utc(found[1], 1, 4)
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY
  return { at: monday + (Number(found[2]) - 1) * 7 * DAY, grain: 'day', zoned: false }
}

const compactDay: Read = text => {
  const found = /^(\d{4})(\d{2})(\d{2})$/.exec(text)
  return found ? { at: utc(found[1], Number(found[2]), Number(found[3])), grain: 'day', zoned: false } : undefined
}

const CLOCK = String.raw`(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|[+-](?:0\d|1[0-5]):?[0-5]\d)?)?`
const ISO_DAY = new RegExp(`^(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})${CLOCK}$`)
const SLASHED_DAY = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4})${CLOCK}$`)

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
  return withClock(utc(found[4], m, d), found.slice(5))
}

function withClock(midnight: number, [hours, minutes, seconds, zone]: readonly (string | undefined)[]): Moment {
  if (hours === undefined || minutes === undefined) return { at: midnight, grain: 'day', zoned: false }
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds ?? 0)]
  if (h > 24 || (h === 24 && m + s > 0) || m > 59 || s > 60) return { at: Number.NaN, grain: 'time', zoned: false }
  const offset = zone === undefined || zone === 'Z' ? 0 : offsetOf(zone)
  return { at: midnight + ((h * 60 + m - offset) * 60 + s) * 1000, grain: 'time', zoned: zone !== undefined }
}

/** Minutes ahead of UTC. */
const offsetOf = (zone: string) =>
  (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)))

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
