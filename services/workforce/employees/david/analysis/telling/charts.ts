/** Findings and columns as pictures. */
import { type ChartOption, drawChart } from '../../../../src/chart.ts'
import type { Column, Table } from '../../table/columns.ts'
import { oneLine } from '../../table/foreign-text.ts'
import { randomOf } from '../random.ts'
import type { Analysis, Finding, Profile } from '../result.ts'

const SIZE = { width: 720, height: 360 }
const COLOR = '#0b6e99'
const MOST_FINDINGS = 8
const MOST_COLUMNS = 6
const MOST_POINTS = 800
const MOST_BARS = 15

export interface Picture {
  readonly name: string
  /** What it shows: a finding's id, or a column's name. */
  readonly of: string
  readonly svg: string
}

export function findingCharts(table: Table, { findings, columns }: Analysis, seed: number): readonly Picture[] {
  return findings.slice(0, MOST_FINDINGS).flatMap(finding => {
    const option = optionOf(finding, table, columns, seed)
    return option
      ? [{ name: `${finding.id}.svg`, of: finding.id, svg: drawChart(option, SIZE, finding.statement) }]
      : []
  })
}

/** The first columns of numbers, each as a histogram. */
export const columnCharts = ({ columns }: Analysis): readonly Picture[] =>
  columns.flatMap(histogramOf).slice(0, MOST_COLUMNS)

function histogramOf(profile: Profile, i: number): Picture[] {
  const option = histogramOption(profile)
  if (option === undefined) return []
  return [
    {
      name: `column-${i + 1}.svg`,
      of: profile.name,
      svg: drawChart(option, SIZE, `How often each value of ${profile.name} occurs.`),
    },
  ]
}

function histogramOption({ name, numbers }: Profile): ChartOption | undefined {
  if (!numbers) return undefined
  const { from, width, counts } = numbers.histogram
  return bars(
    name,
    counts.map((_, i) => short(from + i * width)),
    counts,
    'rows',
  )
}

function optionOf(
  { kind, columns, values }: Finding,
  table: Table,
  profiles: readonly Profile[],
  seed: number,
): ChartOption | undefined {
  const [first, second] = columns.map(name => table.columns.find(column => column.name === name))
  switch (kind) {
    case 'duplicates':
      return undefined
    case 'outliers': {
      const profile = profiles.find(({ name }) => name === columns[0])
      return profile && histogramOption(profile)
    }
    case 'correlation':
      return first?.type === 'number' && second?.type === 'number' ? scatter(first, second, seed) : undefined
    case 'trend':
      return first?.type === 'number' && second?.type === 'time' ? inTime(first, second) : undefined
    case 'difference':
      return first?.type === 'number' && second?.type === 'category' ? byLevel(first, second) : undefined
    case 'association':
    case 'missing':
      return bars(columns.join(', '), ...twoBars(values))
  }
}

function twoBars(values: Finding['values']): readonly [string[], number[], string] {
  if ('share_there' in values)
    return [['there', 'elsewhere'], [values.share_there ?? 0, values.share_elsewhere ?? 0], '% of rows']
  return [['higher group', 'lower group'], [values.higher ?? 0, values.lower ?? 0], '']
}

type Numbers = Extract<Column, { type: 'number' }>

/** All rows, or as many as can be seen, chosen by the seed. */
function scatter(x: Numbers, y: Numbers, seed: number): ChartOption {
  const known = [...x.values.keys()].filter(row => !Number.isNaN((x.values[row] ?? 0) + (y.values[row] ?? 0)))
  const random = randomOf(seed)
  for (let i = 0; known.length > MOST_POINTS && i < MOST_POINTS; i++) {
    const other = i + random.below(known.length - i)
    ;[known[i], known[other]] = [known[other] ?? 0, known[i] ?? 0]
  }
  return {
    ...frame(`${x.name} and ${y.name}`),
    xAxis: { type: 'value', scale: true, name: label(x.name), nameLocation: 'middle', nameGap: 28 },
    yAxis: { type: 'value', scale: true, name: label(y.name) },
    series: [
      {
        type: 'scatter',
        symbolSize: 5,
        silent: true,
        itemStyle: { color: COLOR, opacity: 0.5 },
        data: known.slice(0, MOST_POINTS).map(row => [x.values[row] ?? 0, y.values[row] ?? 0]),
      },
    ],
  }
}

/** Means of 24 equal spans of time. */
function inTime(x: Numbers, times: Extract<Column, { type: 'time' }>): ChartOption {
  const known = [...times.values.keys()].filter(row => !Number.isNaN((x.values[row] ?? 0) + (times.values[row] ?? 0)))
  const at = (row: number) => times.values[row] ?? 0
  const [from, to] = known.reduce(
    ([low, high], row) => [Math.min(low, at(row)), Math.max(high, at(row))],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
  const spans = Array.from({ length: 24 }, () => ({ sum: 0, count: 0 }))
  for (const row of known) {
    const span = spans[Math.min(23, Math.floor((24 * (at(row) - from)) / (to - from || 1)))]
    if (!span) continue
    span.sum += x.values[row] ?? 0
    span.count++
  }
  return {
    ...frame(`${x.name}, mean in time`),
    xAxis: {
      type: 'category',
      data: spans.map((_, i) =>
        new Date(from + ((to - from) * i) / 24).toISOString().slice(0, to - from > 2 * 86_400_000 ? 10 : 16),
      ),
    },
    yAxis: { type: 'value', scale: true },
    series: [
      {
        type: 'line',
        silent: true,
        color: COLOR,
        connectNulls: true,
        data: spans.map(({ sum, count }) => (count > 0 ? sum / count : '-')),
      },
    ],
  }
}

function byLevel(x: Numbers, { name, levels, codes }: Extract<Column, { codes: Int32Array }>): ChartOption {
  const groups = Array.from(levels, (): number[] => [])
  x.values.forEach((value, row) => {
    if (!Number.isNaN(value)) groups[codes[row] ?? -1]?.push(value)
  })
  const medians = groups
    .map((values, level) => ({ level, count: values.length, median: medianOf(values) }))
    .filter(({ count }) => count >= 5)
    .toSorted((a, b) => b.median - a.median)
  const shown = medians.length > MOST_BARS ? [...medians.slice(0, MOST_BARS - 5), ...medians.slice(-5)] : medians
  return bars(
    `${x.name} by ${name}: medians`,
    shown.map(({ level }) => levels[level] ?? ''),
    shown.map(({ median }) => median),
    '',
  )
}

function medianOf(values: number[]): number {
  const sorted = Float64Array.from(values).sort()
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}

const bars = (title: string, labels: readonly string[], values: readonly number[], unit: string): ChartOption => ({
  ...frame(title),
  xAxis: { type: 'category', data: labels.map(label), axisLabel: { hideOverlap: true } },
  yAxis: { type: 'value', name: unit },
  series: [{ type: 'bar', silent: true, color: COLOR, barCategoryGap: '15%', data: [...values] }],
})

const frame = (title: string) => ({
  title: {
    text: oneLine(title),
    left: 16,
    top: 12,
    textStyle: { fontSize: 15, width: SIZE.width - 40, overflow: 'truncate' as const },
  },
  grid: { left: 72, right: 24, top: 72, bottom: 48 },
})

const label = (text: string) => {
  const line = oneLine(text)
  return line.length > 24 ? `${line.slice(0, 23)}…` : line
}

const short = (value: number) => String(Number(value.toPrecision(4)))
