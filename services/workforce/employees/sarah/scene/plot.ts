/** Bars or lines over labelled places, with what reads them. ECharts was not taken here: it writes its labels as text of a font that the reader has to have. */
import { circle, element, rect, type Svg } from '../picture/svg.ts'
import type { Box } from '../type/set.ts'
import { written } from './column.ts'
import type { Theme } from './theme.ts'

export interface ChartInput {
  readonly type?: 'bar' | 'line'
  readonly labels: readonly string[]
  readonly series: readonly { readonly name?: string; readonly values: readonly number[] }[]
  readonly unit?: string
}

/** Fills a box; `em` is the size of its text. */
export function plot(given: ChartInput, box: Box, theme: Theme, em: number): Svg[] {
  const svg: Svg[] = []
  let { y } = box
  const named = given.series.length > 1 ? given.series : []
  const share = box.width / Math.max(1, named.length)
  for (const [at, { name = '' }] of named.entries()) {
    const x = box.x + at * share
    svg.push(...legendMark(given.type, x, y + 0.75 * em, em, theme, at))
    const place = { x: x + 1.9 * em, y, width: share - 2.4 * em, height: 1.5 * em }
    svg.push(...written(name, plain(theme, em), place, theme.ink).svg)
  }
  if (named.length > 0) y += 2.4 * em
  const unit = written(given.unit ?? '', plain(theme, em), { ...box, y, height: 1.5 * em }, theme.muted)
  svg.push(...unit.svg)
  y += unit.height === 0 ? 0.7 * em : unit.height + 1.2 * em
  const ticks = ticksOf(given)
  const gutter = Math.min(5 * em, box.width / 4)
  const inner = { x: box.x + gutter, y, width: box.width - gutter, height: box.y + box.height - y - 3.2 * em }
  return [...svg, ...plotted(given, ticks, inner, gutter, theme, em)]
}

const plain = ({ body }: Theme, em: number) =>
  ({ family: body, weight: 400, size: em, smallest: 0.6 * em, leading: 1.3 }) as const

function legendMark(type: ChartInput['type'], x: number, y: number, em: number, theme: Theme, at: number): Svg[] {
  if (type !== 'line') return [circle(x + 0.5 * em, y, 0.5 * em, colourOf(theme, at))]
  return [line([`${x.toFixed(2)},${y.toFixed(2)}`, `${(x + 1.5 * em).toFixed(2)},${y.toFixed(2)}`], theme, at, em)]
}

function plotted(
  { type = 'bar', labels, series }: ChartInput,
  ticks: readonly number[],
  room: Box,
  gutter: number,
  theme: Theme,
  em: number,
): Svg[] {
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const down = (value: number) => room.y + room.height * (1 - (value - low) / (high - low))
  const step = room.width / labels.length
  const across = (at: number) => room.x + step * (at + 0.5)
  const grid = ticks.flatMap(tick => [
    rect({ x: room.x, y: down(tick) - 0.5, width: room.width, height: 1 }, theme.rule, {
      opacity: tick === 0 ? 1 : 0.6,
    }),
    ...written(
      NUMBER.format(tick),
      { ...plain(theme, em), leading: 1.1 },
      { x: room.x - gutter, y: down(tick) - 0.6 * em, width: gutter - 0.7 * em, height: 1.2 * em, align: 'end' },
      theme.muted,
    ).svg,
  ])
  // Of many labels every second, third … is written, so that each has room for some letters.
  const every = Math.max(1, Math.ceil((3 * em) / step))
  const half = 0.46 * step * every
  const under = labels.flatMap((label, at) => {
    if (at % every !== 0 || across(at) + half > room.x + room.width + 0.5 * step) return []
    const place = { x: Math.max(0, across(at) - half), y: room.y + room.height + 0.7 * em, width: 2 * half }
    return written(label, plain(theme, em), { ...place, height: 2.4 * em, align: 'center' }, theme.muted).svg
  })
  const zero = down(Math.min(high, Math.max(low, 0)))
  const bar = (0.72 * step) / series.length
  const marks = series.flatMap((each, of) => {
    const colour = colourOf(theme, of)
    if (type === 'bar')
      return each.values.map((value, at) => {
        const height = Math.abs(down(value) - zero)
        const x = across(at) - 0.36 * step + of * bar
        return rect({ x, y: Math.min(down(value), zero), width: 0.92 * bar, height }, colour, {
          rx: Math.min(0.25 * em, bar / 4, height / 2),
        })
      })
    const points = each.values.map((value, at) => `${across(at).toFixed(2)},${down(value).toFixed(2)}`)
    const dots =
      each.values.length > 30 ? [] : each.values.map((value, at) => circle(across(at), down(value), 0.3 * em, colour))
    return [line(points, theme, of, em), ...dots]
  })
  return [...grid, ...marks, ...under]
}

/** Lines differ in their dashes too: colour alone tells some readers nothing (WCAG 1.4.1). */
function line(points: readonly string[], theme: Theme, at: number, em: number): Svg {
  const dashes = [undefined, [0.7, 0.35], [0.15, 0.35], [0.9, 0.3, 0.15, 0.3]][at % 4]
  return element('polyline', {
    points: points.join(' '),
    fill: 'none',
    stroke: colourOf(theme, at),
    'stroke-width': 0.18 * em,
    'stroke-linejoin': 'round',
    'stroke-dasharray': dashes?.map(length => (length * em).toFixed(2)).join(' '),
  })
}

const colourOf = ({ series }: Theme, at: number): string => series[at % series.length] ?? '#000000'

const NUMBER = new Intl.NumberFormat('en', { maximumSignificantDigits: 6, notation: 'compact' })

/** Four to eight round numbers that hold all values; bars begin at zero, or they would lie about their shares. */
function ticksOf({ type = 'bar', series }: ChartInput): number[] {
  const values = series.flatMap(each => each.values)
  const fromZero = type === 'bar' ? [0] : []
  const [low, high] = [Math.min(...values, ...fromZero), Math.max(...values, ...fromZero)]
  const span = high - low || Math.abs(high) || 1
  const ten = 10 ** Math.floor(Math.log10(span / 5))
  const step = ten * ([1, 2, 5, 10].find(times => span / (times * ten) <= 6) ?? 10)
  const first = Math.floor(low / step + 1e-9)
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9))
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step)
}
