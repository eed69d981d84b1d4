/** Bars that stand, or lines, over labelled places, beside an axis of values. */
import { circle, rect, type Svg } from '../picture/svg.ts'
import { type Box, fitText } from '../type/set.ts'
import type { ChartInput, Plotted } from './chart.ts'
import { colourOf, lineOf, numberText, type Point, plain, widthOf } from './chart-style.ts'
import { written } from './column.ts'
import type { Theme } from './theme.ts'
import { type Labelled, valuesOfBars, valuesOfLines } from './value-labels.ts'

const gutterOf = (room: Box, em: number) => Math.min(5 * em, room.width / 4)

/** What a label has below its place, in pixels, where each has one. */
export const labelRoom = (room: Box, places: number, em: number) => ({
  width: (0.92 * (room.width - gutterOf(room, em))) / places,
  height: 2.4 * em,
})

/** `em` is the size of the text, in pixels. */
export function upright(given: ChartInput, whole: Box, theme: Theme, em: number): Plotted {
  const { type = 'bar', labels, series } = given
  const ticks = ticksOf(given)
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const gutter = gutterOf(whole, em)
  // The value of the lowest bar stands below it.
  const below = type === 'bar' && series.some(({ values }) => values.some(value => value < 0)) ? 1.4 * em : 0
  const room = {
    x: whole.x + gutter,
    y: whole.y,
    width: whole.width - gutter,
    height: whole.height - 3.2 * em - below,
  }
  const down = (value: number) => room.y + room.height * (1 - (value - low) / (high - low))
  const step = room.width / labels.length
  const across = (at: number) => room.x + step * (at + 0.5)

  const under = placeLabels(labels, { ...room, y: room.y + room.height + below + 0.7 * em }, step, theme, em)
  const zero = down(Math.min(high, Math.max(low, 0)))
  const bar = (0.72 * step) / series.length
  const lines = series.map(each => each.values.map((value, at): Point => [across(at), down(value)]))
  const numbers =
    type === 'bar'
      ? valuesOfBars(
          series.flatMap((each, of) =>
            each.values.map((value, at) => ({
              value,
              x: across(at) - 0.36 * step + (of + 0.46) * bar,
              y: down(value),
            })),
          ),
          series.length === 1 ? 0.95 * step : 0.96 * bar,
          theme,
          em,
        )
      : valuesOfLines(series, lines, room, theme, em)
  const grid = ticks.flatMap(tick => [
    ...rule(down(tick), room, numbers, theme.rule, tick === 0 ? 1 : 0.6),
    ...written(
      numberText(tick),
      { ...plain(theme, em), leading: 1.1 },
      { x: whole.x, y: down(tick) - 0.6 * em, width: gutter - 0.7 * em, height: 1.2 * em, align: 'end' },
      theme.muted,
    ).svg,
  ])
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
    const points = lines[of] ?? []
    const dots = points.length > 30 ? [] : points.map(([x, y]) => circle(x, y, 0.3 * em, colour))
    return [lineOf(points, theme, of, em), ...dots]
  })
  return { svg: [...grid, ...marks, ...under.svg, ...numbers.flatMap(({ svg }) => svg)], cut: under.cut }
}

/** From the top of `room` down. Of many labels every second, third … is written, so that each has room. */
function placeLabels(labels: readonly string[], room: Box, step: number, theme: Theme, em: number): Plotted {
  const isCrowded = step < 3 * em
  const widest = isCrowded ? Math.max(...labels.map(label => widthOf(label, theme, 0.8 * em))) : 0
  const every = isCrowded ? Math.max(1, Math.ceil(Math.min(8 * em, Math.max(3 * em, widest)) / (0.92 * step))) : 1
  const right = room.x + room.width
  const places = labels.flatMap((label, at) => {
    const middle = room.x + step * (at + 0.5)
    const half = Math.min(0.46 * step * every, right - middle)
    if (at % every !== 0 || half < 0.23 * step * every) return []
    return [
      {
        at,
        label,
        place: { x: middle - half, y: room.y, width: 2 * half, height: 2.4 * em, align: 'center' } as const,
      },
    ]
  })
  // All as large as the one that has least room.
  const setting = plain(theme, em)
  const size = Math.min(...places.map(({ label, place }) => fitText(label, setting, place).size))
  const made = places.map(({ at, label, place }) => ({
    at,
    ...written(label, { ...setting, size }, place, theme.muted),
  }))
  return {
    svg: made.flatMap(({ svg }) => svg),
    cut: made.flatMap(({ at, cut }) => (cut ? `labels[${at}]` : [])),
  }
}

/** A line of the grid, broken where a number stands: a text stands on no shape. */
function rule(y: number, room: Box, numbers: readonly Labelled[], colour: string, opacity: number): Svg[] {
  const crossed = numbers
    .filter(({ box }) => box.y < y && box.y + box.height > y)
    .map(({ box }) => [box.x, box.x + box.width] as const)
    .toSorted(([one], [other]) => one - other)
  const svg: Svg[] = []
  let from = room.x
  for (const [left, right] of [...crossed, [room.x + room.width, Infinity] as const]) {
    if (left > from) svg.push(rect({ x: from, y: y - 0.5, width: left - from, height: 1 }, colour, { opacity }))
    from = Math.max(from, right)
  }
  return svg
}

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
