/** The forecast as somebody would read it out. */
import { verdictOn } from '../coverage.ts'
import { type ForecastResult, heldBack, type Point, type SeriesResult } from '../result.ts'

export const readingOf = ({ series }: ForecastResult): string => series.map(readingOfOne).join('\n\n')

function readingOfOne({ name, forecast, model, backtest, observations, frequency, warnings }: SeriesResult): string {
  const steps = frequency === null ? 'steps' : `${frequency.replaceAll('_', ' ')} steps`
  const known =
    observations.to === null
      ? `${observations.count} values`
      : `${observations.count} values from ${observations.from} to ${observations.to}`
  return [
    `${name}: ${forecast.length} ${steps} ahead, from ${known}.`,
    ...told(forecast).map(lineOf),
    ...(forecast.length > MOST_LINES
      ? [`Of the ${forecast.length} steps ${told(forecast).length} are listed here; forecast.csv has all.`]
      : []),
    `Model: ${model.name}. ${model.why}`,
    `Back-test: errors are ${shownOf(backtest.mase)} times those of repeating the last season one step ahead (MASE; repeating it as far ahead makes ${shownOf(backtest.naive_mase)}), sMAPE ${backtest.smape.toFixed(1)} %.${coverageSaid(backtest)}`,
    ...warnings.map(warning => `Note: ${warning}`),
  ].join('\n')
}

function coverageSaid({ coverage, forecasts }: SeriesResult['backtest']): string {
  const values = heldBack(forecasts)
  return coverage
    .map(({ level, share }) => {
      const few = verdictOn(level, share, values) === 'unknown' ? `: ${values} values are too few to judge it by` : ''
      return ` ${Math.round(share * 100)} % of the values lay in the ${level} % interval${few}.`
    })
    .join('')
}

/** A month of days, a day of hours. */
const MOST_LINES = 31

/** All of a few; of many the first, the last and some between. */
function told(forecast: readonly Point[]): readonly Point[] {
  if (forecast.length <= MOST_LINES) return forecast
  const every = Math.ceil(forecast.length / 11)
  return forecast.filter((_, h) => h === forecast.length - 1 || h % every === 0)
}

function lineOf({ step, time, point, intervals }: Point): string {
  const bounds = intervals.map(({ level, lower, upper }) => `${level} %: ${short(lower)} to ${short(upper)}`)
  return `- ${time ?? `step ${step}`}: ${short(point)}${bounds.length > 0 ? ` (${bounds.join('; ')})` : ''}`
}

const short = (value: number) => String(Number(value.toPrecision(4)))
const shownOf = (value: number | null) => (value === null ? 'unknown' : value.toFixed(2))
