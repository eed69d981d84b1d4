/** What is in each column, every number by a query. */
import type { Column } from '../table/columns.ts'
import { type Ask, identifier, literal } from '../table/database.ts'
import { oneLine } from '../table/foreign-text.ts'
import type { Histogram, Profile } from './result.ts'
import { around, DEVIATION, MEDIAN } from './spread.ts'

const BARS = 20
const MOST_LEVELS = 10

export async function profile(column: Column, ask: Ask): Promise<Profile> {
  const x = identifier(column.name)
  const counts = `count(*) - count(${x}) AS missing, count(DISTINCT ${x}) AS "distinct"`
  const told = async (sql: string) => {
    const row = await ask(sql)
    return {
      row,
      common: { name: column.name, type: column.type, sql, missing: row.missing ?? 0, distinct: row.distinct ?? 0 },
    }
  }
  if (column.type === 'number') {
    const { row, common } = await told(
      `SELECT ${counts}, avg(${x}) AS mean, stddev_samp(${x}) AS standard_deviation, min(${x}) AS least, quantile_cont(${x}, 0.25) AS quartile_1, median(${x}) AS median, quantile_cont(${x}, 0.75) AS quartile_3, max(${x}) AS most, CASE WHEN any_value(${DEVIATION}) > 0 THEN count(*) FILTER (WHERE abs(${x} - ${MEDIAN}) > 3.5 * ${DEVIATION}) END AS far FROM data, ${around(x)}`,
    )
    if (row.least === null || row.most === null) return common
    const of = (name: string) => row[name] ?? 0
    const numbers = {
      mean: of('mean'),
      standard_deviation: row.standard_deviation ?? null,
      least: of('least'),
      quartile_1: of('quartile_1'),
      median: of('median'),
      quartile_3: of('quartile_3'),
      most: of('most'),
      far: row.far ?? null,
      histogram: await histogram(x, of('least'), of('most'), ask),
    }
    return { ...common, numbers }
  }
  if (column.type === 'time') {
    const { row, common } = await told(
      `SELECT ${counts}, epoch_ms(min(${x})) AS "from", epoch_ms(max(${x})) AS "to" FROM data`,
    )
    const { from, to } = row
    return typeof from === 'number' && typeof to === 'number'
      ? { ...common, times: { from: timeSaid(from), to: timeSaid(to) } }
      : common
  }
  const { common } = await told(`SELECT ${counts} FROM data`)
  return column.type === 'category' ? { ...common, levels: await topLevels(column, ask) } : common
}

/** As exactly as it is known: the day, or the millisecond. */
export const timeSaid = (at: number) => new Date(at).toISOString().replace('T00:00:00.000Z', '').replace('.000Z', 'Z')

/** Bars of one width from the least to the most value. */
async function histogram(x: string, least: number, most: number, ask: Ask): Promise<Histogram> {
  const bars = most > least ? BARS : 1
  const width = (most - least) / bars || 1
  const bar = `least(${bars - 1}, floor((${x} - ${number(least)}) / ${number(width)}))`
  const counted = Array.from({ length: bars }, (_, i) => `count(*) FILTER (WHERE bar = ${i}) AS bar_${i}`)
  const sql = `SELECT ${counted.join(', ')} FROM (SELECT ${bar} AS bar FROM data WHERE ${x} IS NOT NULL)`
  const row = await ask(sql)
  return { sql, from: least, width, counts: Array.from({ length: bars }, (_, i) => row[`bar_${i}`] ?? 0) }
}

const number = (value: number) => `CAST(${value} AS DOUBLE)`

async function topLevels({ name, levels, codes }: Extract<Column, { codes: Int32Array }>, ask: Ask) {
  const counts = new Uint32Array(levels.length)
  for (const code of codes) if (code >= 0) counts[code] = (counts[code] ?? 0) + 1
  const top = [...levels.keys()].toSorted((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a - b).slice(0, MOST_LEVELS)
  const sql = `SELECT ${top.map((level, i) => `count(*) FILTER (WHERE ${identifier(name)} = ${literal(levels[level] ?? '')}) AS level_${i}`).join(', ') || '0'} FROM data`
  const row = await ask(sql)
  return {
    sql,
    top: top.map((level, i) => ({ value: oneLine(levels[level] ?? ''), count: row[`level_${i}`] ?? 0 })),
  }
}
