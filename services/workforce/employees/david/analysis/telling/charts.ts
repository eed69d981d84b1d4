/** Findings and columns as pictures. */
import { type ChartOption, drawChart } from '../../chart.ts'
import type { Column, Table } from '../../table/columns.ts'
import { oneLine } from '../../table/foreign-text.ts'
import { said } from '../effects/effect.ts'
import { type Random, randomOf } from '../random.ts'
import { type Analysis, type Charted, type Finding, MOST_CHARTS, type Profile } from '../result.ts'

const SIZE = { width: 720, height: 360 }
const COLOR = '#0b6e99'
const MARK = '#b3261e'
const MOST_COLUMNS = 6
const MOST_POINTS = 800
/** More names of outliers would stand on each other. */
const MOST_NAMED = 6

export interface Picture {
  readonly name: string
  /** What it shows: a finding's id, or a column's name. */
  readonly of: string
  readonly svg: string
}

export function findingCharts(table: Table, { findings }: Analysis, seed: number): readonly Picture[] {
  return findings.slice(0, MOST_CHARTS).flatMap(finding => {
    const option = optionOf(finding, table, randomOf(seed))
    return option
      ? [{ name: `${finding.id}.svg`, of: finding.id, svg: drawChart(option, SIZE, finding.statement) }]
      : []
  })
}

/** The first columns of numbers, each as a histogram. */
export const columnCharts = ({ columns }: Analysis): readonly Picture[] =>
  columns.flatMap(histogramOf).slice(0, MOST_COLUMNS)

function histogramOf({ name, numbers }: Profile, i: number): Picture[] {
  if (!numbers) return []
  const svg = drawChart(histogram(name, numbers.histogram), SIZE, `How often each value of ${name} occurs.`)
  return [{ name: `column-${i + 1}.svg`, of: name, svg }]
}

/** Bars as wide as what they count, so that the axis below them can be read at round numbers. */
function histogram(name: string, { from, width, counts }: NonNullable<Profile['numbers']>['histogram']): ChartOption {
  return {
    ...frame(name),
    xAxis: { ...number, scale: true, splitLine: { show: false } },
    yAxis: { ...number, name: 'rows', minInterval: 1 },
    series: [
      {
        type: 'custom',
        silent: true,
        encode: { x: [0, 1], y: 2 },
        data: counts.map((count, i) => [from + i * width, from + (i + 1) * width, count]),
        renderItem: (_, api) => {
          const [left = 0, top = 0] = api.coord([api.value(0), api.value(2)])
          const [right = 0, bottom = 0] = api.coord([api.value(1), 0])
          const shape = { x: left + 1, y: top, width: Math.max(1, right - left - 2), height: bottom - top }
          return { type: 'rect', shape, style: { fill: COLOR } }
        },
      },
    ],
  }
}

function optionOf({ kind, columns, values, chart }: Finding, table: Table, random: Random): ChartOption | undefined {
  const [first, second] = columns.map(name => table.columns.find(column => column.name === name))
  if (chart) return kind === 'trend' ? inTime(chart, values) : bars(chart)
  if (first?.type !== 'number') return undefined
  if (kind === 'outliers') return strip(first, values, random)
  return kind === 'correlation' && second?.type === 'number' ? scatter(first, second, random) : undefined
}

type Numbers = Extract<Column, { type: 'number' }>

/** Each value on a line, a little above or below it; the outliers marked and named. */
function strip(
  { name, values: all }: Numbers,
  { lowest = 0, highest = 0 }: Finding['values'],
  random: Random,
): ChartOption {
  const known = all.filter(value => !Number.isNaN(value))
  const isFar = (value: number) => value >= lowest && value <= highest
  const far = [...known.filter(isFar)]
  const named = new Set([...far.slice(0, MOST_NAMED - 1), far.at(-1)])
  const near = chosen([...known.filter(value => !isFar(value))], random)
  return {
    ...frame(`${name}: each row, outliers marked`),
    xAxis: { ...number, scale: true, axisLine: { onZero: false } },
    yAxis: { type: 'value', show: false, min: -0.5, max: 1.5 },
    series: [
      { ...dots, data: near.map(value => [value, random.uniform()]) },
      {
        ...dots,
        symbolSize: 9,
        itemStyle: { color: MARK },
        data: far.map(value => ({
          value: [value, 0.5],
          label: { show: named.has(value), formatter: short(value), position: 'top', color: MARK },
        })),
      },
    ],
  }
}

const dots = { type: 'scatter' as const, symbolSize: 5, silent: true, itemStyle: { color: COLOR, opacity: 0.5 } }

function scatter(x: Numbers, y: Numbers, random: Random): ChartOption {
  const known = [...x.values.keys()].filter(row => !Number.isNaN((x.values[row] ?? 0) + (y.values[row] ?? 0)))
  const isLogarithmic = hasLongTail([x, y].map(({ values }) => known.map(row => values[row] ?? 0)))
  const axis = isLogarithmic ? { ...number, type: 'log' as const } : { ...number, scale: true }
  return {
    ...frame(`${x.name} and ${y.name}${isLogarithmic ? ', on logarithmic scales' : ''}`),
    xAxis: { ...axis, name: label(x.name), nameLocation: 'middle', nameGap: 28 },
    yAxis: { ...axis, name: label(y.name) },
    series: [{ ...dots, data: chosen(known, random).map(row => [x.values[row] ?? 0, y.values[row] ?? 0]) }],
  }
}

/** Where few values are so large that on a linear scale all others would lie in a corner, and no value is zero or below. */
const hasLongTail = (columns: readonly (readonly number[])[]): boolean => {
  const sorted = columns.map(values => values.toSorted((a, b) => a - b))
  const isLong = (values: readonly number[]) => (values.at(-1) ?? 0) > LONG_TAIL * (values[values.length >> 1] ?? 0)
  return sorted.every(([least = 0]) => least > 0) && sorted.some(isLong)
}

/** How many medians the greatest value is, where most of the others can't be told apart on a linear scale. */
const LONG_TAIL = 30

/** All, or as many as can be seen. */
function chosen(all: number[], random: Random): number[] {
  for (let i = 0; all.length > MOST_POINTS && i < MOST_POINTS; i++) {
    const other = i + random.below(all.length - i)
    ;[all[i], all[other]] = [all[other] ?? 0, all[i] ?? 0]
  }
  return all.slice(0, MOST_POINTS)
}

/** With what the finding says of the first and the last third, where it says something of them. */
function inTime({ title, points }: Charted, { early, late }: Finding['values']): ChartOption {
  const third = Math.max(1, Math.round(points.length / 3))
  const level = (value: number | undefined, from: number) => {
    const at = (i: number) => i >= from && i < from + third
    const shown = value === undefined ? [] : points.map((_, i) => (at(i) ? value : '-'))
    return {
      type: 'line' as const,
      silent: true,
      symbol: 'none',
      color: MARK,
      lineStyle: { type: 'dashed' as const, width: 2 },
      data: shown.map((one, i) =>
        i === from + (third >> 1) && typeof one === 'number'
          ? {
              value: one,
              symbol: 'circle',
              symbolSize: 1,
              label: { show: true, formatter: short(one), position: 'top' as const, color: MARK },
            }
          : one,
      ),
    }
  }
  return {
    ...frame(title),
    xAxis: { type: 'category', boundaryGap: false, data: points.map(point => point.label) },
    yAxis: { ...number, scale: true },
    series: [
      {
        type: 'line',
        silent: true,
        color: COLOR,
        connectNulls: true,
        data: points.map(({ value }) => value ?? '-'),
      },
      level(early, 0),
      level(late, points.length - third),
    ],
  }
}

/** Beside each other; below each other where the names would not all have room, so that each bar has its own. */
function bars({ title, unit, points }: Charted): ChartOption {
  const labels = points.map(point => label(point.label))
  const isWide = labels.reduce((sum, text) => sum + text.length + 2, 0) > MOST_LETTERS
  const names = { type: 'category' as const, data: labels, axisLabel: { interval: 0 } }
  const values = { ...number, name: unit }
  const { grid, ...rest } = frame(title)
  return {
    ...rest,
    ...(isWide
      ? {
          grid: { ...grid, left: 24 + LETTER * Math.max(...labels.map(({ length }) => length)), right: 72 },
          xAxis: { ...values, nameLocation: 'middle', nameGap: 28 },
          yAxis: { ...names, inverse: true },
        }
      : { grid, xAxis: names, yAxis: values }),
    series: [
      {
        type: 'bar',
        silent: true,
        color: COLOR,
        barCategoryGap: '30%',
        barMaxWidth: 120,
        label: {
          show: isWide || points.length <= 12,
          position: isWide ? 'right' : 'top',
          formatter: ({ value }) => short(Number(value)),
        },
        data: points.map(({ value }) => value ?? '-'),
      },
    ],
  }
}

/** Letters of names that have room below a chart, and the width of one. */
const [MOST_LETTERS, LETTER] = [80, 7.2]

/** An axis of numbers. */
const number = { type: 'value' as const, axisLabel: { formatter: (value: number) => short(value) } }

/** A number where there is little room: 1.064B for a billion and more. */
const short = (value: number) =>
  Math.abs(value) >= 1e6
    ? value.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 4 })
    : said(value)

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
