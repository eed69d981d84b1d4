/** Weeks, quarters and seasons that look like months: `01/2026` in a column of weeks, `2026-1` in one of quarters, `2010/11`. */
import { isCodeName } from './codes.ts'
import { shown } from './foreign-text.ts'
import { type DayOrder, type Moment, readMoment } from './moment.ts'

export interface Periods {
  readonly read: (text: string, order: DayOrder) => Moment | undefined
  readonly said: string
}

/** Undefined where a cell is none of them. `cells` are the first that say something. */
export function periods(name: string, cells: readonly string[]): Periods | undefined {
  const [first] = cells
  if (first === undefined) return undefined
  for (const { isCalledSo, isoOf, what } of KINDS) {
    if (!isCalledSo(name, cells) || !cells.every(cell => isoOf(cell) !== undefined)) continue
    const read = (text: string) => readMoment(isoOf(text) ?? '', 'day first')
    const moments = cells.map(read)
    if (moments.includes(undefined)) continue
    const day = new Date(moments[0]?.at ?? 0).toISOString().slice(0, 10)
    return { read, said: `${shown(name)} is read as ${what}: ${shown(first)} begins on ${day}.` }
  }
  return undefined
}

const WEEKS = /^(?:iso[ _-]?|calendar[ _-]?|year[ _-]?)?(?:week|wk)$|^(?:kalender)?woche$|^kw$|^semaine$|^semana$/i
const HALVES = /^(?:halbjahr|half[ _-]?year|semester|semestre)$/i
/** Those that say that a column holds times, not which. */
const TIMES = /^(?:q|periode?|zeitraum|dates?|datum|time|zeit|fecha|(?:fiscal|calendar)[ _-]?(?:quarter|qtr))$/i
const MONTHS = /month|monat|mois|^mes$|^dates?$|^datum$/i
const QUARTERS = /^(?:quarter|qtr|quartal|trimestre)$/i

/** Whether a header says that a column holds weeks or quarters. */
export const isPeriodName = (name: string) => WEEKS.test(name.trim()) || QUARTERS.test(name.trim())

/** Whether a header says that a column names things. */
export const isCode = (name: string) => isCodeName(name) || NUMBERED.test(name.trim())

/** Things that are numbered anew each year: `2026-001`. */
const NUMBERED =
  /(?:^|[ _-])(?:ref|invoice|reference|rechnung|case|project|projekt|ticket|job|order|auftrag|vorgang|angebot|quote|offer|file|doc(?:ument)?|protocol|batch|charge|lot|claim|key|(?:number|num|no|nr)\.?)$|zeichen$|nummer$/i

/** The year and the number beside it: `202601`, `2026-1`, `2026.01`, `1/2026`. */
function partsOf(text: string): readonly [year: string, part: string] | undefined {
  const [, year, part] = /^((?:19|20)\d{2})[-/.]?(\d{1,2})$/.exec(text.trim()) ?? []
  const [, first, second] = /^(\d{1,2})[-/.]((?:19|20)\d{2})$/.exec(text.trim()) ?? []
  if (year !== undefined && part !== undefined) return [year, part]
  return first !== undefined && second !== undefined ? [second, first] : undefined
}

const KINDS: readonly {
  readonly isCalledSo: (name: string, cells: readonly string[]) => boolean
  /** As ISO 8601 or `readMoment` has it. */
  readonly isoOf: (text: string) => string | undefined
  readonly what: string
}[] = [
  {
    isCalledSo: name => WEEKS.test(name.trim()),
    isoOf: text => {
      const [year, part = ''] = partsOf(text) ?? []
      return year && `${year}-W${part.padStart(2, '0')}`
    },
    what: 'weeks (ISO 8601)',
  },
  {
    isCalledSo: name => QUARTERS.test(name.trim()),
    isoOf: text => {
      const [year, part] = partsOf(text) ?? []
      return year && /^0?[1-4]$/.test(part ?? '') ? `${year}-Q${Number(part)}` : undefined
    },
    what: 'quarters',
  },
  {
    isCalledSo: name => HALVES.test(name.trim()),
    isoOf: text => {
      const [year, part] = partsOf(text) ?? []
      return year && /^0?[12]$/.test(part ?? '') ? `${year}-${Number(part) === 1 ? '01' : '07'}` : undefined
    },
    what: 'halves of years',
  },
  {
    isCalledSo: name => QUARTERS.test(name.trim()) || TIMES.test(name.trim()),
    isoOf: text => {
      const [, q, other, year] = /^(?:Q([1-4])|([1-4])Q)[- /]?'?(\d{2})$/i.exec(text.trim()) ?? []
      return year && `${Number(year) < 30 ? '20' : '19'}${year}-Q${q ?? other}`
    },
    what: 'quarters',
  },
  {
    isCalledSo: (name, cells) => !MONTHS.test(name.trim()) && !isCode(name) && new Set(cells).size > 1,
    isoOf: text => {
      const [, year, next] = /^((?:19|20)\d{2})[-/](\d{2})$/.exec(text.trim()) ?? []
      return year && (Number(year) + 1) % 100 === Number(next) ? year : undefined
    },
    what: 'years that end in the next',
  },
]
