/** A column of numbers in equal spans of time, for a chart. */
import { type Ask, identifier } from '../../table/database.ts'
import { timeSaid } from '../profile.ts'
import type { Charted } from '../result.ts'
import { columnSaid } from './groups.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
/** In milliseconds, and as people say them; the last takes whatever there is. */
const LENGTHS: readonly (readonly [number, string])[] = [
  [MINUTE, 'minute'],
  [15 * MINUTE, '15 minutes'],
  [HOUR, 'hour'],
  [6 * HOUR, '6 hours'],
  [DAY, 'day'],
  [7 * DAY, '7 days'],
  [28 * DAY, '28 days'],
  [91 * DAY, '91 days'],
  [365 * DAY, '365 days'],
  [3652 * DAY, '3,652 days'],
]
/** More are no line that anybody reads. */
const MOST_SPANS = 40

export interface Course {
  readonly column: string
  readonly time: string
  /** Of its first and its last value, in milliseconds since 1970. */
  readonly first: number
  readonly last: number
}

/** `marks` says what else is drawn. */
export async function chartInTime(ask: Ask, { column, time, first, last }: Course, marks = ''): Promise<Charted> {
  const count = (width: number) => Math.floor((last - first) / width) + 1
  const [width, length] = LENGTHS.find(([ms]) => count(ms) <= MOST_SPANS) ?? [
    Math.ceil((last - first + 1) / MOST_SPANS),
    'span',
  ]
  const spans = Array.from({ length: count(width) }, (_, i) => `span_${i}`)
  const means = spans.map((name, i) => `any_value(mean) FILTER (WHERE span = ${i}) AS ${name}`)
  const sql = `SELECT ${means.join(', ')} FROM (SELECT floor((epoch_ms(${identifier(time)}) - ${first}) / ${width}) AS span, avg(${identifier(column)}) AS mean FROM data GROUP BY 1)`
  const row = await ask(sql)
  return {
    title: `${columnSaid(column)}: mean of each ${length}${marks}`,
    unit: '',
    sql,
    points: spans.map((name, i) => ({ label: timeSaid(first + i * width), name, value: row[name] ?? null })),
  }
}
