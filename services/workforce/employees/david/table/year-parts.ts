/** A column of years and one of quarters, months or weeks, and of days beside months, which say together when. */
import { isYear, isYearName } from './digit-times.ts'
import { shown } from './foreign-text.ts'
import { readMoment } from './moment.ts'
import { monthNamed } from './month-names.ts'

export interface YearParts {
  /** Places of the columns. */
  readonly year: number
  /** The quarter, the month or the week, and the day where there is one. */
  readonly parts: readonly number[]
  readonly name: string
  readonly texts: readonly string[]
  readonly said: string
}

/** Undefined where the table has no such columns, each cell of which can be read. */
export function yearParts(
  names: readonly string[],
  column: (place: number) => readonly string[],
): YearParts | undefined {
  const year = names.findIndex(isYearName)
  const part = names.findIndex(name => [QUARTER, MONTH, WEEK].some(form => form.test(name.trim())))
  if (year < 0 || part < 0) return undefined
  const [years, others] = [column(year), column(part)]
  const [isQuarter, isWeek] = [QUARTER, WEEK].map(form => form.test(names[part]?.trim() ?? ''))
  const texts: string[] = []
  for (const [row, text] of years.entries()) {
    const place = (isQuarter ? quarterOf : isWeek ? weekOf : monthOf)(others[row] ?? '')
    if (!isYear(text.trim()) || place === undefined) return undefined
    const joined = `${text.trim()}-${isQuarter ? 'Q' : isWeek ? 'W' : ''}${place}`
    if (isWeek && readMoment(joined, 'day first') === undefined) return undefined
    texts.push(joined)
  }
  const day = isQuarter || isWeek ? -1 : names.findIndex(name => DAY.test(name.trim()))
  const days = day < 0 ? [] : column(day)
  const full = texts.map((text, row) => `${text}-${dayOf(days[row] ?? '')}`)
  const noDay = day < 0 ? -1 : full.findIndex(text => readMoment(text, 'day first') === undefined)
  const parts = day < 0 || noDay >= 0 ? [part] : [part, day]
  const written = parts.length === 1 ? texts : full
  const shownNames = [year, ...parts].map(at => shown(names[at] ?? ''))
  return {
    year,
    parts,
    name: [year, ...parts].map(at => names[at]).join(' '),
    texts: written,
    said: `${shownNames.slice(0, -1).join(', ')} and ${shownNames.at(-1)} are read together as times: the first row is ${written[0]}.${
      noDay < 0
        ? ''
        : ` ${shown(names[day] ?? '')} is left out of them, as ${shown(days[noDay] ?? '')} in row ${noDay + 1} is no day of its month.`
    }`,
  }
}

/** Also as pandas writes it beside a value that is missing: `13.0`. */
const dayOf = (text: string) => /^(\d{1,2})(?:\.0)?$/.exec(text.trim())?.[1] ?? ''
const DAY = /^(?:day|tag|jour|d[ií]a|giorno|dzień|dag|day[ _]of[ _](?:the[ _])?month|mday)$/i

const QUARTER = /^(?:quarter|qtr|quartal|trimestre|q)$/i
const MONTH = /^(?:month|monat|mois|mes|mês|mese|maand|miesiąc)$/i

const WEEK = /^(?:kalender)?woche$|^kw$|^(?:iso )?week$|^semaine$/i

const weekOf = (text: string) => /^(?:KW ?|W)?(\d{1,2})$/i.exec(text.trim())?.[1]?.padStart(2, '0')

const quarterOf = (text: string) => /^(?:Q|T|Quartal )?([1-4])(?:\.? ?(?:Q|Quartal))?$/i.exec(text.trim())?.[1]

function monthOf(text: string): number | undefined {
  const month = /^\d{1,2}$/.test(text.trim()) ? Number(text) : monthNamed(text.trim())
  return month !== undefined && month >= 1 && month <= 12 ? month : undefined
}
