/** The forecast as a table that a spreadsheet opens. */
import Papa from 'papaparse'
import type { ForecastResult } from '../result.ts'

/** CSV. A cell of text that a spreadsheet would run as a formula begins with an apostrophe. */
export function tableOf({ series }: ForecastResult): string {
  const levels = series[0]?.forecast[0]?.intervals.map(({ level }) => level) ?? []
  const fields = ['series', 'step', 'time', 'point', ...levels.flatMap(level => [`lower_${level}`, `upper_${level}`])]
  const data = series.flatMap(({ name, forecast }) =>
    forecast.map(({ step, time, point, intervals }) => [
      name,
      step,
      time ?? '',
      point,
      ...intervals.flatMap(({ lower, upper }) => [lower, upper]),
    ]),
  )
  return `${Papa.unparse({ fields, data }, { escapeFormulae: true })}\r\n`
}
