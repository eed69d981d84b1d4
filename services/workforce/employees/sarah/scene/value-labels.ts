/** The numbers of a chart beside their bars and points, where there is room for them. */
import type { Svg } from '../picture/svg.ts'
import type { Box } from '../type/set.ts'
import type { ChartInput } from './chart.ts'
import { type Point, plain, valueWriter, widthOf } from './chart-style.ts'
import { written } from './column.ts'
import type { Theme } from './theme.ts'

export interface Labelled {
  readonly box: Box
  readonly svg: readonly Svg[]
}

/** Of the size of the other texts. */
const SIZE = 0.85

/** Above each bar, below one that hangs: all of them or none. `wide` is what each may take, in pixels. */
export function valuesOfBars(
  ends: readonly { readonly value: number; readonly x: number; readonly y: number }[],
  wide: number,
  theme: Theme,
  em: number,
): Labelled[] {
  const made: Labelled[] = []
  const write = valueWriter(ends.map(({ value }) => value))
  for (const { value, x, y } of ends) {
    const number = numberAt(write(value), x, value < 0 ? y + 0.2 * em : y - 1.3 * em, theme, em)
    if (number.box.width > wide) return []
    made.push(number)
  }
  return made
}

/** Above or below its point, where no line and no other number is. Of many points the first, the last, the highest and the lowest. */
export function valuesOfLines(
  series: ChartInput['series'],
  lines: readonly (readonly Point[])[],
  room: Box,
  theme: Theme,
  em: number,
): Labelled[] {
  const made: Labelled[] = []
  const write = valueWriter(series.flatMap(({ values }) => values))
  const isFree = (box: Box) =>
    box.x >= room.x &&
    box.x + box.width <= room.x + room.width &&
    box.y >= room.y - 1.61 * em &&
    // The labels of the places begin 0.7 em below.
    box.y + box.height <= room.y + room.height + 0.65 * em &&
    !made.some(other => overlap(box, other.box)) &&
    !lines.some(points => isCrossed(grown(box, 0.3 * em), points))
  for (const [of, { values }] of series.entries())
    for (const at of telling(values)) {
      const [value = 0, [x, y] = [0, 0]] = [values[at], lines[of]?.[at]]
      const number = [y - 1.6 * em, y + 0.5 * em]
        .map(top => numberAt(write(value), x, top, theme, em))
        .find(({ box }) => isFree(box))
      if (number) made.push(number)
    }
  return made
}

function numberAt(said: string, x: number, y: number, theme: Theme, em: number): Labelled {
  const width = widthOf(said, theme, SIZE * em) + 0.15 * em
  const box = { x: x - width / 2, y, width, height: 1.1 * em }
  return { box, svg: written(said, plain(theme, SIZE * em), { ...box, align: 'center' }, theme.ink).svg }
}

function telling(values: readonly number[]): number[] {
  if (values.length <= 12) return [...values.keys()]
  const ends = [0, values.length - 1, values.indexOf(Math.max(...values)), values.indexOf(Math.min(...values))]
  return [...new Set(ends)]
}

const overlap = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height

const grown = ({ x, y, width, height }: Box, by: number): Box => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
})

/** Whether a line goes through a box: it is clipped to it, piece by piece (Liang and Barsky, 1984). */
function isCrossed(box: Box, points: readonly Point[]): boolean {
  return points.some(([x0, y0], at) => {
    const [x1, y1] = points[at + 1] ?? [x0, y0]
    let [from, to] = [0, 1]
    for (const [start, way, low, high] of [
      [x0, x1 - x0, box.x, box.x + box.width],
      [y0, y1 - y0, box.y, box.y + box.height],
    ] as const) {
      if (way === 0 && (start < low || start > high)) return false
      if (way === 0) continue
      const [one, other] = [(low - start) / way, (high - start) / way]
      from = Math.max(from, Math.min(one, other))
      to = Math.min(to, Math.max(one, other))
    }
    return from <= to
  })
}
