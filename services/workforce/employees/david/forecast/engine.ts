/** Forecasts series of numbers: several models, weighed by how well each foretells what is known. */
import { stringify } from 'csv-stringify/sync'
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import type { Rules } from '../../src/kind.ts'
import { unheeded } from '../../src/text/unheeded.ts'
import type { RawTable } from '../table/raw-table.ts'
import { forecastSeries } from './forecast-series.ts'
import type { ForecastInput } from './input.ts'
import { readSeries, type Series } from './reading/series.ts'
import { fileTable } from './reading/sources.ts'
import { type ForecastResult, resultOf, type SeriesResult } from './result.ts'
import { chartOf } from './telling/chart.ts'
import { readingOf } from './telling/reading.ts'

const LEVELS = [80, 95] as const
/** Points of all series together. */
const MOST_POINTS = 4_000

export const rules: Rules<ForecastInput, ForecastResult> = async brief => forecastOf(brief, await fileTable(brief))

/** `table` is that of the brief's file. */
export function forecastOf(brief: Brief<ForecastInput>, table?: RawTable): Answer<ForecastResult> {
  const { horizon, levels = LEVELS, non_negative: nonNegative = false } = brief.input
  const all = readSeries(brief, table)
  if (all.length * horizon > MOST_POINTS)
    throw new Refusal(
      'input.horizon',
      `${all.length} series of ${horizon} steps are more than ${MOST_POINTS} points. Ask for fewer.`,
    )
  const wanted = { horizon, levels: [...new Set(levels)].toSorted((a, b) => a - b), nonNegative }
  const done = all.map(series => forecastOne(series, wanted))
  const result: ForecastResult = { series: done.map(({ said }) => said) }
  const encode = (text: string) => new TextEncoder().encode(text)
  return {
    result,
    text: readingOf(result),
    artifacts: [
      { name: 'forecast.csv', media_type: 'text/csv', bytes: encode(tableOf(result)) },
      ...done.map(({ series, said }, i) => ({
        name: done.length === 1 ? 'forecast.svg' : `forecast-${i + 1}.svg`,
        media_type: 'image/svg+xml',
        bytes: encode(chartOf(series, said)),
      })),
    ],
    warnings: [
      ...done.flatMap(({ said }) =>
        said.warnings.map(warning => (done.length === 1 ? warning : `${said.name}: ${warning}`)),
      ),
      ...unheeded(brief),
    ],
  }
}

function forecastOne(
  series: Series,
  wanted: Parameters<typeof forecastSeries>[1],
): { series: Series; said: SeriesResult } {
  const { length } = series.values
  if (wanted.horizon > length)
    throw new Refusal(
      'input.horizon',
      `${JSON.stringify(series.name)} goes back ${length} steps; a forecast of ${wanted.horizon} would be made up. Ask for at most ${length}.`,
    )
  return { series, said: resultOf(series, forecastSeries(series, wanted), wanted.horizon, !wanted.nonNegative) }
}

/** CSV. A cell of text that a spreadsheet would run as a formula begins with an apostrophe. */
function tableOf({ series }: ForecastResult): string {
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
