/** What is said of numbers that may be something else: days, times of the day, periods of SAP, versions. */
import { isYearName } from './digit-times.ts'
import { shown } from './foreign-text.ts'
import { isPeriodName } from './periods.ts'
import { isNothing } from './reading.ts'

/** `texts` are the cells as they were written, where they were texts. */
export function numberSaid(name: string, values: Float64Array, texts: readonly string[] = []): readonly string[] {
  const called = name.trim()
  const row = values.findIndex(value => !Number.isNaN(value))
  const said = (what: string) => [`${shown(name)} is read as numbers, ${what}`]
  const isLate = values.some(value => value >= 100)
  const unknown = (at: number, written: string) =>
    said(`as ${values[at]} in row ${at + 1} is no time that is known: write ${written}.`)
  if (DAYS.test(called) && isLate) return unknown(row, '2026-01-31')
  const noDay = areDays(values) ? values.findIndex(isNoDay) : -1
  if (noDay >= 0)
    return said(`as ${values[noDay]} in row ${noDay + 1} is no day. Leave such cells empty if the others are days.`)
  const noWeek =
    isPeriodName(called) && values.every(value => Number.isNaN(value) || isYearAndPart(value))
      ? values.findIndex(value => value % 100 > 52 || value % 100 < 1)
      : -1
  if (noWeek >= 0) return unknown(noWeek, '2026-W05')
  if (isYearName(called) && row >= 0 && values.every(value => Number.isNaN(value) || isBuddhistYear(value)))
    return said(
      `as ${values[row]} in row ${row + 1} is no year up to 2200. Subtract 543 if they are of the Buddhist calendar.`,
    )
  if (PERIODS.test(called) && values.every(value => Number.isNaN(value) || isPeriod(value)) && row >= 0)
    return unknown(row, '2026-01')
  const clock = CLOCKS.test(called) ? clockIn(values, 600) : TIMES.test(called) ? clockIn(values, 1000) : -1
  if (clock >= 0) {
    const hours = Math.floor((values[clock] ?? 0) / 100)
    const minutes = String((values[clock] ?? 0) % 100).padStart(2, '0')
    return said(
      `for example ${values[clock]} in row ${clock + 1}. Write ${hours}:${minutes} if they are times of the day.`,
    )
  }
  if (values.every(value => Number.isNaN(value) || isMilliseconds(value)) && row >= 0)
    return said(
      `for example ${values[row]} in row ${row + 1}. Call the column "timestamp" if that is the Unix time of ${new Date(values[row] ?? 0).toISOString().slice(0, 10)}.`,
    )
  const code = texts.findIndex(text => text.length < 9 && text.includes('E') && CODE.test(text))
  if (code >= 0)
    return said(
      `so ${shown(texts[code] ?? '')} in row ${code + 1} is ${values[code]}. Call the column "id" if it has codes.`,
    )
  const version = versionIn(called, texts)
  return version === undefined
    ? []
    : said(
        `so ${shown(texts[version] ?? '')} in row ${version + 1} is ${values[version]}. Call the column "version" if it has versions.`,
      )
}

/** Whether at least three are days such as 20260131, and the others stand for none. */
function areDays(values: Float64Array): boolean {
  const days = values.filter(isCompactDay).length
  return days > 2 && values.every(value => Number.isNaN(value) || isCompactDay(value) || isNoDay(value))
}
const isCompactDay = (value: number) => {
  const [month, day] = [Math.floor(value / 100) % 100, value % 100]
  const isInCentury = Number.isInteger(value) && value > 19_000_000 && value < 21_000_000
  return isInCentury && month >= 1 && month <= 12 && day >= 1 && day <= 31
}
const isNoDay = (value: number) => value === 0 || value === 99_999_999

/** `202605`. */
const isYearAndPart = (value: number) => Number.isInteger(value) && value >= 190_001 && value <= 209_999

/** Milliseconds since 1970 from 2000 to 2040. */
const isMilliseconds = (value: number) =>
  Number.isInteger(value) && value >= 946_684_800_000 && value <= 2_208_988_800_000

/** `1E5`: programs write an exponent with its sign or with decimals. */
const CODE = /^\d+E\d+$/

const DAYS = /^(?:date|fecha|valuta|wertstellung)$|[ _]date$|datum$|^\p{L}{4,20}tag$/iu

/** Of the years 1900 to 2200, in which 543 more are counted. */
const isBuddhistYear = (value: number) => Number.isInteger(value) && value >= 2_443 && value <= 2_743

/** Year and number of the period: `2026012`. */
const PERIODS = /period|poper|monat|month/i
const isPeriod = (value: number) =>
  Number.isInteger(value) && value >= 1_900_001 && value <= 2_100_000 && value % 1000 >= 1 && value % 1000 <= 16

const CLOCKS =
  /^(?:uhrzeit|hhmm|clock)$|(?:^|[ _-])(?:dep|departure|arr|arrival|start|end|begin|event|order|check[ _-]?in|check[ _-]?out|opening|closing|local)[ _-]?time$|(?:time[ _-]of[ _-]day|hhmm|(?:start|end|abfahrts|ankunfts|anfangs|beginn)zeit)$/i

/** May as well be a length of time. */
const TIMES = /^(?:time|zeit|heure|hora|ora|uur)$/i

/**
 * A number that is a time of the day where all are: `900`, `1430`. At equal steps that pass over no hour, they are a measure; where
 * none is beyond `least`, rather seconds.
 */
function clockIn(values: Float64Array, least: number): number {
  const isClock = (value: number) =>
    Number.isNaN(value) || (Number.isInteger(value) && value >= 0 && value <= 2400 && value % 100 < 60)
  if (!values.every(isClock)) return -1
  const found = values.filter(value => !Number.isNaN(value))
  const step = (found[1] ?? 0) - (found[0] ?? 0)
  const areSteps = found.every((value, at) => at === 0 || value - (found[at - 1] ?? 0) === step)
  if (!found.some(value => value >= least)) return -1
  return found.length > 2 && areSteps && step % 100 !== 0 ? -1 : values.findIndex(value => value >= 100)
}

const VERSION = /^\d{1,3}(?:\.\d{1,3})?$/

/** Of what has versions, and of what is numbered in a text. */
const VERSIONED =
  /^(?:ver|v|tag|build|firmware|software|kernel|driver|python|node|java|go|php|ruby|android|ios|os|section|chapter|clause|paragraph|kapitel|abschnitt|artikel|article|ziffer|item|nr|no|#)\.?$|release|version/i

/**
 * A zero at the end, as of `1.10`, where other cells have fewer decimals: no program writes numbers so. With as many digits in
 * all they are rounded. People write prices so: the column is called otherwise, or has `1.9` as well.
 */
function versionIn(name: string, texts: readonly string[]): number | undefined {
  let [zero, least, most, longest, shortest]: [number | undefined, number, number, number, number] = [
    undefined,
    9,
    0,
    0,
    9,
  ]
  for (const [row, text] of texts.entries()) {
    if (text === '') continue
    if (text.length > 7 || !VERSION.test(text)) {
      if (isNothing(text)) continue
      return undefined
    }
    const point = text.indexOf('.')
    if (point < 0) continue
    const decimals = text.length - point - 1
    if (decimals > 1 && text.endsWith('0')) zero ??= row
    ;[least, most] = [Math.min(least, decimals), Math.max(most, decimals)]
    ;[shortest, longest] = [Math.min(shortest, text.length), Math.max(longest, text.length)]
  }
  if (zero === undefined || least >= most || shortest >= longest) return undefined
  if (VERSIONED.test(name)) return zero
  const others = new Set(texts)
  return texts.some(text => text.endsWith('.10') && others.has(text.replace('.10', '.9'))) ? zero : undefined
}
