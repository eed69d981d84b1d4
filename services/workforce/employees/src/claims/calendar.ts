/** Days, months and words of time of a text, and whether they were given. */

export interface Calendar {
  /** Months and days of the week by their first three letters. */
  readonly names: ReadonlySet<string>
  /** `14 mar`. */
  readonly days: ReadonlySet<string>
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

export function calendarOf(text: string): Calendar {
  const names = new Set<string>()
  const days = new Set<string>()
  const add = (name: string, day: number, year: number) => {
    names.add(name)
    if (!(day > 0)) return
    days.add(`${day} ${name}`)
    if (year > 0) names.add(weekdays[new Date(Date.UTC(year, months.indexOf(name), day)).getUTCDay()] ?? '')
  }
  for (const [, year, number, day] of text.matchAll(iso))
    add(months[Number(number) - 1] ?? '', Number(day), Number(year))
  for (const { groups } of text.matchAll(named))
    add(keyOf(groups?.month), Number(groups?.day ?? groups?.after), Number(groups?.year))
  for (const [, name] of text.matchAll(weekday)) names.add(keyOf(name))
  if (/\bMon(?:day)?\b.{1,12}\bFri(?:day)?\b/.test(text)) for (const name of weekdays.slice(1, 6)) names.add(name)
  return { names, days }
}

/** Months, days of a month and days of the week that were not given. */
export function daysIn(text: string, { names, days }: Calendar): string[] {
  const own = [...text.matchAll(named)].flatMap(({ 0: shown, groups, index }) => {
    const name = keyOf(groups?.month)
    // “May” begins a wish as well.
    if (name === 'may' && index === 0 && groups?.after === undefined) return []
    const day = Number(groups?.day ?? groups?.after)
    return names.has(name) && (!(day > 0) || days.has(`${day} ${name}`)) ? [] : [shown]
  })
  const isos = [...text.matchAll(iso)].flatMap(([shown, , number, day]) =>
    days.has(`${Number(day)} ${months[Number(number) - 1]}`) ? [] : [shown],
  )
  const weekly = [...text.matchAll(weekday)].flatMap(([shown, name]) => (names.has(keyOf(name)) ? [] : [shown]))
  return [...own, ...isos, ...weekly]
}

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

/** Words for soon that were not given, in these words or in words for the same. */
export const urgencyIn = (text: string, known: string): string[] =>
  (text.match(urgent) ?? []).filter(found => {
    if (known.includes(found.toLowerCase())) return false
    return !(immediate.test(found) && (immediate.test(known) || request.test(text)))
  })
