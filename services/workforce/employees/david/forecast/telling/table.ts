/** The forecast as a table that a spreadsheet opens. */
import { stringify } from 'csv-stringify/sync'
import type { ForecastResult } from '../result.ts'

/** CSV. A cell of text that a spreadsheet would run as a formula begins with an apostrophe. */
export function tableOf({ series }: ForecastResult): string {
  const levels = series[0]?.forecast[0]?.intervals.map(({ level }) => level) ?? []
  const header = ['series', 'step', 'time', 'point', ...levels.flatMap(level => [`lower_${level}`, `upper_${level}`])]
  const rows = series.flatMap(({ name, forecast }) =>
    forecast.map(({ step, time, point, intervals }) => [
      name,
      step,
      time,
      point,
      ...intervals.flatMap(({ lower, upper }) => [lower, upper]),
    ]),
  )
  return stringify([header, ...rows], { escape_formulas: true, record_delimiter: 'windows' })
}
