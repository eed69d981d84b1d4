/** The end of a series and its forecast, as a picture. */
import { type ChartOption, drawChart } from '../../chart.ts'
import type { Series } from '../reading/series.ts'
import type { SeriesResult } from '../result.ts'

const SIZE = { width: 900, height: 420 }
const HISTORY = '#33415c'
const FORECAST = '#0b6e99'

/** SVG. */
export function chartOf(series: Series, { name, forecast, season_lengths }: SeriesResult): string {
  const horizon = forecast.length
  const shown = Math.min(series.values.length, Math.max(60, 4 * horizon, 3 * (season_lengths[0] ?? 1)))
  const first = series.values.length - shown
  const history = [...series.values.slice(first)]
  const last = history.at(-1) ?? 0
  const before = (values: readonly number[]) => [...Array.from({ length: shown - 1 }, () => '-'), ...values]
  const levels = forecast[0]?.intervals.map(({ level }) => level) ?? []
  const bands = levels
    .map((level, i) => ({
      level,
      bounds: forecast.map(({ intervals }) => intervals[i] ?? { lower: Number.NaN, upper: Number.NaN }),
    }))
    .toSorted((a, b) => b.level - a.level)
    .flatMap(({ level, bounds }) =>
      band(
        `${level} %`,
        before([last, ...bounds.map(({ lower }) => lower)]),
        before([0, ...bounds.map(({ lower, upper }) => upper - lower)]),
      ),
    )
  const label = (step: number) => series.timeOf(step) ?? String(step + 1)
  const option: ChartOption = {
    title: { text: name, left: 16, top: 12, textStyle: { fontSize: 16, width: SIZE.width - 40, overflow: 'truncate' } },
    legend: {
      top: 40,
      left: 16,
      icon: 'roundRect',
      itemHeight: 10,
      data: [
        { name: 'history' },
        { name: 'forecast' },
        ...levels.map((level, i) => ({ name: `${level} %`, itemStyle: { opacity: 0.35 - 0.12 * i } })),
      ],
    },
    grid: { left: 72, right: 24, top: 80, bottom: 40 },
    xAxis: {
      type: 'category',
      boundaryGap: false,
      data: Array.from({ length: shown + horizon }, (_, i) => label(first + i)),
    },
    yAxis: { type: 'value', scale: true },
    series: [
      ...bands,
      {
        name: 'history',
        type: 'line',
        symbol: 'none',
        silent: true,
        lineStyle: { width: 1.6 },
        color: HISTORY,
        data: history,
      },
      {
        name: 'forecast',
        type: 'line',
        symbol: 'none',
        silent: true,
        lineStyle: { width: 2 },
        color: FORECAST,
        data: before([last, ...forecast.map(({ point }) => point)]),
      },
    ],
  }
  return drawChart(option, SIZE, `${name}: ${shown} values and a forecast of ${horizon} steps.`)
}

/** Two lines on each other: an unseen one at the lower ends, and the height of the interval filled above it. */
function band(name: string, lower: (number | string)[], height: (number | string)[]) {
  const line = {
    type: 'line' as const,
    symbol: 'none',
    silent: true,
    stack: name,
    stackStrategy: 'all' as const,
    lineStyle: { opacity: 0 },
  }
  return [
    { ...line, name: `${name} from`, data: lower },
    { ...line, name, color: FORECAST, areaStyle: { color: FORECAST, opacity: 0.18 }, data: height },
  ]
}
