/** Numbers that are times: `20260131`, `202601`, `01.2026`, Excel's numbers of days, the seconds of Unix. */
import { shown } from './foreign-text.ts'
import { type DayOrder, type Moment, readMoment } from './moment.ts'
import { type Periods, periods } from './periods.ts'
import { firstOf } from './reading.ts'

/** Undefined where the column does not show that it holds times. */
export function digitTimes(name: string, texts: readonly string[], isNamed = false): Periods | undefined {
  const cells = firstOf(texts).map(text => text.trim())
  const period = periods(name, cells)
  if (period !== undefined) return period
  const [first] = cells
  if (first === undefined || !/^\d/.test(first) || !cells.every(cell => /^\d+([.,]\d+)?$/.test(cell))) return undefined
  const isCalledSo = isNamed || isTimeName(name)
  const many = cells.length >= 6 && new Set(cells).size >= 3
  const all = (form: RegExp) => cells.every(cell => form.test(cell) && readMoment(cell, 'day first') !== undefined)
  const found = (read: Periods['read'], what: string): Periods => ({
    read,
    said: `${shown(name)} is read as times: ${shown(first)} is ${what} ${new Date((read(first, 'day first') ?? read(first, 'month first'))?.at ?? 0).toISOString().slice(0, 10)}.`,
  })
  if ((isCalledSo || many || cells.length >= 3) && all(COMPACT_DAY)) return found(readMoment, 'the day')
  const areMonths = isCalledSo
    ? all(COMPACT_MONTH) || all(POINTED_MONTH)
    : many && all(COMPACT_MONTH) && isOrdered(cells)
  if (areMonths) return found(readMoment, 'the month of')
  if (!isCalledSo) return undefined
  // Spreadsheets drop the zero in front.
  if (cells.every(cell => turnedDay(cell, 'day first') ?? turnedDay(cell, 'month first')))
    return found(turnedDay, 'the day')
  if (isYearName(name) && cells.every(isYear)) return found(readMoment, 'the year of')
  for (const { least, most, at, what } of COUNTS)
    if (cells.every(cell => Number(cell) >= least && Number(cell) <= most))
      return found(text => {
        const value = Number(text.trim())
        return value >= least && value <= most
          ? { at: at(value), grain: Number.isInteger(value) ? 'day' : 'time', zoned: false }
          : undefined
      }, what)
  return undefined
}

/** Whether a header says that a column holds times: the whole of it, as "sales per day" and "response time" are measures. */
export const isTimeName = (name: string) => {
  const text = name.trim()
  return WHOLE.test(text) || GERMAN.test(text) || DATE.test(text) || /[a-z](?:Date|At)$/.test(text) || isYearName(text)
}

const WHOLE =
  /^(?:dates?|datetime|time|timestamp|day|tag|datum|zeit|zeitpunkt|zeitstempel|heure|jour|fecha|periode?|month|monat|mois|week|woche|created|updated|year[ _-]?month|jahr[ _-]?monat|ts|epoch|valuta|wertstellung)$/i
/** "Buchungstag", not "Umsatz pro Tag". */
const GERMAN = /^\p{L}{4,20}tag$/iu
/** "date of order", "posting date", "Rechnungsdatum", "created_at". */
const DATE = /^(?:date|datum)[^a-z]|(?:^|[ _-])(?:date|fecha|timestamp)$|datum$|_at$/i

/** Whether a header says that a column holds years. */
export const isYearName = (name: string) =>
  /^(?:fiscal |calendar )?(?:year|jahr|année|annee|año|yr|geschäftsjahr)$/i.test(name.trim())

export const isYear = (cell: string) => /^\d{4}$/.test(cell) && Number(cell) >= 1600 && Number(cell) <= 2200

/** Of texts of one length. */
const isOrdered = (cells: readonly string[]) =>
  cells.every((cell, at) => at === 0 || cell >= (cells[at - 1] ?? '')) ||
  cells.every((cell, at) => at === 0 || cell <= (cells[at - 1] ?? ''))

const COMPACT_DAY = /^(?:19|20)\d{6}(?:\d{6})?$/
/** `31012026`, `1312026`. */
function turnedDay(text: string, order: DayOrder): Moment | undefined {
  const [, first, second, year] = /^(\d{1,2})(\d{2})((?:19|20)\d{2})$/.exec(text.trim()) ?? []
  return year === undefined ? undefined : readMoment(`${first}/${second}/${year}`, order)
}
const COMPACT_MONTH = /^(?:19|20)\d{4}$/
const POINTED_MONTH = /^\d{1,2}\.(?:19|20)\d{2}$/

/** Days since 1899-12-30 from 1954 to 2064, and seconds and milliseconds since 1970 from 2000 to 2040. */
const COUNTS = [
  {
    least: 20_000,
    most: 60_000,
    what: 'Excel’s number of',
    at: (value: number) => Math.round((value - 25_569) * 86_400_000),
  },
  { least: 946_684_800, most: 2_208_988_800, what: 'a Unix time of', at: (value: number) => Math.round(value * 1000) },
  { least: 946_684_800_000, most: 2_208_988_800_000, what: 'a Unix time of', at: (value: number) => Math.round(value) },
] as const
