/** Days, months and words of time of a text, and whether they were given. */
import { weekdayAfter, workdaysFrom, workdaysIn } from './workdays.ts'

export interface Calendar {
  /** Months and days of the week by their first three letters. */
  readonly names: ReadonlySet<string>
  /** `14 mar`. */
  readonly days: ReadonlySet<string>
  /** Days from one date to another. */
  readonly spans: ReadonlySet<number>
  /** Months from one month to another, both counted. */
  readonly seasons: ReadonlySet<number>
  /** Days of the week of a range, such as opening hours. */
  readonly open: ReadonlySet<string>
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const weekdays = 'sun mon tue wed thu fri sat'.split(' ')
// Short forms alone are names of people, too: they need their day or their year.
const short = String.raw`(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?!\p{L})\.?`
const month = String.raw`(?<![\p{L}-])(?<month>(?:January|February|March|April|May|June|July|August|September|October|November|December)(?!\p{L})|(?<=\d(?:st|nd|rd|th)?(?: of)? )${short}|${short}(?=,? \d))`
const named = new RegExp(
  String.raw`(?:(?<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? )?${month}(?: (?<after>\d{1,2})(?:st|nd|rd|th)?(?![\d:]))?(?:,? (?<year>\d{4}))?`,
  'gu',
)
const weekday = /(?<!\p{L})(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?(?!\p{L})/gu
const iso = /(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/g

export function calendarOf(
  text: string,
  spans: readonly number[],
  spansOfMonths: readonly number[],
  message: string,
): Calendar {
  const names = new Set<string>()
  const days = new Set<string>()
  const moments: { readonly time: number; readonly hasWeekday: boolean }[] = []
  const only = onlyYearOf(text)
  const workdays = workdaysIn(text)
  const years = [...new Set(text.match(/(?<!\d)(?:19|20)\d\d(?!\d)/g) ?? [])].slice(0, 20).map(Number)
  const seasons = years.flatMap(one => years.map(other => Math.abs(one - other) * 12))
  const add = (name: string, day: number, year: number) => {
    names.add(name)
    if (!(day > 0)) return
    days.add(`${day} ${name}`)
    // Within a year, only a leap day makes a difference.
    const known = year > 0 ? year : only
    const time = Date.UTC(known || 2001, months.indexOf(name), day)
    moments.push({ time, hasWeekday: known > 0 })
    if (known > 0) names.add(weekdays[new Date(time).getUTCDay()] ?? '')
  }
  for (const [, year, number, day] of text.matchAll(iso))
    add(months[Number(number) - 1] ?? '', Number(day), Number(year))
  for (const { groups } of text.matchAll(named))
    add(keyOf(groups?.month), Number(groups?.day ?? groups?.after), Number(groups?.year))
  for (const [, name] of text.matchAll(new RegExp(weekday, 'giu'))) names.add(keyOf(name))
  for (const [, first, last] of text.matchAll(season)) {
    const start = months.indexOf(keyOf(first))
    const length = (months.indexOf(keyOf(last)) - start + 12) % 12
    for (let at = 0; at <= length; at++) names.add(months[(start + at) % 12] ?? '')
    seasons.push(length + 1)
  }
  for (const name of [...names].filter(name => months.includes(name)))
    for (let at = 1; at <= Math.max(0, ...spansOfMonths); at++)
      names.add(months[(months.indexOf(name) + at) % 12] ?? '')
  // “On Friday evening”, wrote the customer, and the parcel stays for 72 hours.
  const written = new Set([...message.matchAll(new RegExp(weekday, 'giu'))].map(([, name]) => keyOf(name)))
  for (const name of written)
    for (const at of [
      ...spans.filter(span => span < 7).map(span => (weekdays.indexOf(name) + span) % 7),
      ...workdays.map(count => weekdayAfter(weekdays.indexOf(name), count)),
    ])
      names.add(weekdays[at] ?? '')
  const onlyMonth = [...names].filter(name => months.includes(name))
  if (onlyMonth.length === 1) for (const [, day] of text.matchAll(ordinal)) add(onlyMonth[0] as string, Number(day), 0)
  if (nextDay.test(text))
    for (const name of [...names].filter(name => weekdays.includes(name)))
      names.add(weekdays[(weekdays.indexOf(name) + 1) % 7] ?? '')
  const derived: number[] = []
  for (const { time, hasWeekday } of moments.slice(0, MOST_DATES))
    for (const at of [
      ...spans.slice(0, MOST_DATES).flatMap(span => [time + span * DAY, time - span * DAY]),
      ...workdays.slice(0, MOST_DATES).flatMap(count => workdaysFrom(time, count, hasWeekday)),
    ]) {
      const other = new Date(at)
      derived.push(at)
      days.add(`${other.getUTCDate()} ${months[other.getUTCMonth()]}`)
      if (hasWeekday && at > time) names.add(weekdays[other.getUTCDay()] ?? '')
    }
  return {
    names,
    days,
    open: openDaysOf(text),
    spans: spansBetween(
      moments.map(({ time }) => time / DAY),
      derived.map(time => time / DAY),
    ),
    seasons: new Set(seasons),
  }
}

const monthName = '(January|February|March|April|May|June|July|August|September|October|November|December)'
const season = new RegExp(
  String.raw`${monthName}(?: \d{1,2})?,? ?(?:-|–|to|through|until|till) (?:the )?(?:(?:end of|\d{1,2}(?: of)?) )?${monthName}`,
  'gu',
)

/** Days from each date to each other. */
function spansBetween(moments: readonly number[], derived: readonly number[]): ReadonlySet<number> {
  const first = [...new Set(moments)].slice(0, MOST_DATES)
  const all = [...new Set([...first, ...derived])].slice(0, 4 * MOST_DATES)
  return new Set(first.flatMap(one => all.map(other => Math.abs(one - other))))
}

/** Where all dates are of one year, one without a year is of it, too. */
function onlyYearOf(text: string): number {
  const years = new Set([...text.matchAll(named)].map(({ groups }) => groups?.year).filter(year => year !== undefined))
  for (const [, year] of text.matchAll(iso)) years.add(year as string)
  return years.size === 1 ? Number([...years][0]) : 0
}

const nextDay = /(?<!\p{L})(?:(?:the )?next day|(?:the )?day after|the following day)(?!\p{L})/iu

const DAY = 86_400_000
/** Each date is held against each span of time. */
const MOST_DATES = 50

/** “Tuesday to Saturday” are five days of the week, and the two others are those on which nothing is open. */
function openDaysOf(text: string): ReadonlySet<string> {
  const open = new Set<string>()
  for (const [, first, last] of text.matchAll(range)) {
    const start = weekdays.indexOf(keyOf(first))
    const length = (weekdays.indexOf(keyOf(last)) - start + 7) % 7
    for (let at = 0; at <= length; at++) open.add(weekdays[(start + at) % 7] ?? '')
  }
  return open
}

const range =
  /(?<!\p{L})(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[a-z]*day)?s? ?(?:-|–|—|to|through|until|till) ?(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[a-z]*day)?s?(?!\p{L})/gu

/** Months, days of a month and days of the week that were not given. */
export function daysIn(text: string, { names, days, open }: Calendar): string[] {
  const own = [...text.matchAll(named)].flatMap(({ 0: shown, groups, index }) => {
    const name = keyOf(groups?.month)
    // “May” begins a wish as well.
    if (name === 'may' && index === 0 && groups?.after === undefined) return []
    const day = Number(groups?.day ?? groups?.after)
    return (day > 0 ? days.has(`${day} ${name}`) : names.has(name)) ? [] : [shown]
  })
  const isos = [...text.matchAll(iso)].flatMap(([shown, , number, day]) =>
    days.has(`${Number(day)} ${months[Number(number) - 1]}`) ? [] : [shown],
  )
  // “Friday night.” is a scene.
  const weekly =
    text.split(' ').length < 4
      ? []
      : [...text.matchAll(weekday)].flatMap(({ 0: shown, 1: name, index }) =>
          names.has(keyOf(name)) ||
          /(?<!\p{L})as an? $/u.test(text.slice(0, index)) ||
          isOfHours(text, keyOf(name), open)
            ? []
            : [shown],
        )
  return [...own, ...isos, ...weekly]
}

/** Without its dates, whose figures are compared as dates, and without given days of a month: “on the 19th”. */
export const withoutDates = (text: string, { days }: Calendar): string =>
  text
    .replaceAll(named, shown => (/\d/.test(shown) ? ' ' : shown))
    .replaceAll(iso, ' ')
    .replaceAll(inFigures, (shown, one: string, other: string) =>
      [
        [one, other],
        [other, one],
      ].some(([day, number]) => days.has(`${Number(day)} ${months[Number(number) - 1]}`))
        ? ' '
        : shown,
    )
    .replaceAll(ordinal, (shown, day: string) => ([...days].some(one => one.startsWith(`${day} `)) ? ' ' : shown))

/** “8/22”, “19.11.” */
const inFigures = /(?<![\d/.])(\d{1,2})(?:\/(?=\d{1,2}(?![\d/]))|\.(?=\d{1,2}\.(?!\d)))(\d{1,2})\.?(?!\d)/gu

const ordinal = /(?<!\d)(\d{1,2})(?:st|nd|rd|th)(?!\p{L})/gu

/** “We are here on Wednesdays, too.” “We are closed on Mondays.” */
const isOfHours = (text: string, name: string, open: ReadonlySet<string>): boolean =>
  open.size > 0 && (closed.test(text) ? !open.has(name) : opened.test(text) && open.has(name))

const closed =
  /(?<!\p{L})(?:close[sd]?|shut|except|(?:not|n['’]t) (?:open|here)|rest days?|day off|we (?:sleep|rest))(?!\p{L})/iu
const opened =
  /(?<!\p{L})(?:opens?|opening|hours|desk|counter|we['’]re (?:here|in|there)|we are (?:here|in|there)|reachable|reach us|stop by|drop (?:by|in)|come (?:by|in)|visit|call)(?!\p{L})/iu

const keyOf = (name = '') => name.slice(0, 3).toLowerCase()

const atOnce = 'immediately|right away|straight away|at once|instantly'
const urgent = new RegExp(
  String.raw`(?<!\p{L})(?:tomorrow|tonight|yesterday|next (?:week|month|day|morning)|same[- ]day|next[- ]day|overnight|${atOnce}|within the hour|by the end of the (?:day|week|month)|24\/7|round the clock)(?!\p{L})`,
  'giu',
)
const immediate = new RegExp(String.raw`(?<!\p{L})(?:${atOnce}|(?:at )?any ?time|whenever)(?!\p{L})`, 'iu')
/** What readers are asked to do soon promises them nothing. */
const request =
  /(?<!\p{L})(?:please|let (?:us|me) know|(?:call|tell|contact|write to|get in touch with|reply to) (?:us|me)|drop us|you (?:should|can|could))(?!\p{L})/iu

/** Somebody but the reader acts: “Take the picture right away” promises nothing. */
const promised =
  /(?<!\p{L})(?:we|our|us|i|will|['’]ll|gets?|receives?|arriv\p{L}*|deliver\p{L}*|ship\p{L}*|dispatch\p{L}*|repl(?:y|ies)|answers?|refund\p{L}*|sends?|sent|support|service|available|open|staff|team)(?!\p{L})/iu

/** Words for soon that were not given, in these words or in words for the same. */
export const urgencyIn = (text: string, known: string): string[] =>
  (text.match(urgent) ?? []).filter(found => {
    if (!promised.test(text)) return false
    if (known.includes(found.toLowerCase())) return false
    return !(immediate.test(found) && (immediate.test(known) || request.test(text)))
  })
