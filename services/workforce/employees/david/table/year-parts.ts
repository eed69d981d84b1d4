/** A column of years and one of quarters, months or weeks, which say together when. */
import { isYear, isYearName } from './digit-times.ts'
import { shown } from './foreign-text.ts'
import { readMoment } from './moment.ts'
import { monthNamed } from './month-names.ts'

export interface YearParts {
  /** Places of the columns. */
  readonly year: number
  readonly part: number
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
  const [years, parts] = [column(year), column(part)]
  const [isQuarter, isWeek] = [QUARTER, WEEK].map(form => form.test(names[part]?.trim() ?? ''))
  const texts: string[] = []
  for (const [row, text] of years.entries()) {
    const place = (isQuarter ? quarterOf : isWeek ? weekOf : monthOf)(parts[row] ?? '')
    if (!isYear(text.trim()) || place === undefined) return undefined
    const joined = `${text.trim()}-${isQuarter ? 'Q' : isWeek ? 'W' : ''}${place}`
    if (isWeek && readMoment(joined, 'day first') === undefined) return undefined
    texts.push(joined)
  }
  const name = `${names[year]} ${names[part]}`
  return {
    year,
    part,
    name,
    texts,
    said: `${shown(names[year] ?? '')} and ${shown(names[part] ?? '')} are read together as times: the first row is ${texts[0]}.`,
  }
}

const QUARTER = /^(?:quarter|qtr|quartal|trimestre|q)$/i
const MONTH = /^(?:month|monat|mois|mes)$/i

const WEEK = /^(?:kalender)?woche$|^kw$|^(?:iso )?week$|^semaine$/i

const weekOf = (text: string) => /^(?:KW ?|W)?(\d{1,2})$/i.exec(text.trim())?.[1]?.padStart(2, '0')

const quarterOf = (text: string) => /^(?:Q|T|Quartal )?([1-4])(?:\.? ?(?:Q|Quartal))?$/i.exec(text.trim())?.[1]

function monthOf(text: string): number | undefined {
  const month = /^\d{1,2}$/.test(text.trim()) ? Number(text) : monthNamed(text.trim())
  return month !== undefined && month >= 1 && month <= 12 ? month : undefined
}
