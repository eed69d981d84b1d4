/** Bars from left to right, one below the other: labels that are long stand beside them. */
import { rect } from '../picture/svg.ts'
import { type Box, fitText } from '../type/set.ts'
import type { ChartInput, Plotted } from './chart.ts'
import { colourOf, plain, valueWriter, widthOf } from './chart-style.ts'
import { written } from './column.ts'
import type { Theme } from './theme.ts'
import { labelRoom } from './upright.ts'

/** Of the size of the text: so high a bar is at least, for its value to stand beside it. */
const LEAST_BAR = 1.35

/** In letters: a date or a month is shorter, and a reader looks for it from left to right. */
const LONG = 16

/** Whether labels would be small or cut below their bars, and have room beside them. */
export function areRowsBetter({ type = 'bar', labels, series }: ChartInput, room: Box, theme: Theme, em: number) {
  if (type !== 'bar' || room.height / (labels.length * series.length) < LEAST_BAR * em) return false
  const below = labelRoom(room, labels.length, em)
  return labels.some(label => {
    const set = fitText(label, plain(theme, em), below)
    const isLong = label.length > LONG && set.lines.length > 1
    return label !== '' && (set.cut || set.size < 0.7 * em || isLong)
  })
}

/** Each value stands at the end of its bar, so there is no axis to read it from. `em` is the size of the text, in pixels. */
export function rows({ labels, series }: ChartInput, room: Box, theme: Theme, em: number): Plotted {
  const row = room.height / labels.length
  const bar = (0.76 * row) / series.length
  const values = series.flatMap(each => each.values)
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const write = valueWriter(values)
  const widest = Math.max(...values.map(value => widthOf(write(value), theme, 0.85 * em))) + 0.6 * em
  const beside = Math.min(0.4 * room.width, Math.max(...labels.map(label => widthOf(label, theme, em))) + 0.1 * em)
  const left = room.x + beside + em + (low < 0 ? widest : 0)
  const wide = room.x + room.width - left - widest
  const across = (value: number) => left + (wide * (value - low)) / (high - low || 1)

  const said = labels.map((label, at) => {
    const most = { x: room.x, y: room.y + row * at, width: beside, height: 0.96 * row }
    const { height } = written(label, plain(theme, em), most, theme.muted)
    const y = most.y + (row - height) / 2
    return written(label, plain(theme, em), { ...most, y, height: Math.max(height, 0.1) }, theme.muted)
  })
  const bars = series.flatMap((each, of) =>
    each.values.map((value, at) => {
      const width = Math.abs(across(value) - across(0))
      const y = room.y + row * (at + 0.12) + of * bar
      return rect({ x: Math.min(across(value), across(0)), y, width, height: 0.92 * bar }, colourOf(theme, of), {
        rx: Math.min(0.25 * em, bar / 4, width / 2),
      })
    }),
  )
  const numbers = series.flatMap((each, of) =>
    each.values.flatMap((value, at) => {
      const y = room.y + row * (at + 0.12) + (of + 0.46) * bar - 0.55 * em
      const x = value < 0 ? across(value) - widest : across(value) + 0.4 * em
      const place = { x, y, width: widest - 0.4 * em, height: 1.1 * em, align: value < 0 ? 'end' : 'start' } as const
      return written(write(value), plain(theme, 0.85 * em), place, theme.ink).svg
    }),
  )
  const zero = rect({ x: across(0) - 0.5, y: room.y, width: 1, height: room.height }, theme.rule)
  return {
    svg: [zero, ...bars, ...numbers, ...said.flatMap(({ svg }) => svg)],
    cut: said.flatMap(({ cut }, at) => (cut ? `labels[${at}]` : [])),
  }
}
