/** Numbers as bars or lines, with what reads them. ECharts was not taken here: it writes its labels as text of a font that the reader has to have. */
import { circle, type Svg } from '../picture/svg.ts'
import type { Box } from '../type/set.ts'
import type { ChartInput, Plotted } from './chart.ts'
import { colourOf, lineOf, plain } from './chart-style.ts'
import { written } from './column.ts'
import { areRowsBetter, rows } from './rows.ts'
import type { Theme } from './theme.ts'
import { upright } from './upright.ts'

/** Fills a box; `em` is the size of its text, in pixels. */
export function plot(given: ChartInput, box: Box, theme: Theme, em: number): Plotted {
  const head = legend(given, box, theme, em)
  const y = box.y + (head.svg.length > 0 ? 2.4 * em : 0)
  const unit = written(given.unit ?? '', plain(theme, em), { ...box, y, height: 1.5 * em }, theme.muted)
  // The value of the highest bar stands above it.
  const top = y + unit.height + 1.6 * em
  const room = { ...box, y: top, height: box.y + box.height - top }
  const body = areRowsBetter(given, room, theme, em) ? rows(given, room, theme, em) : upright(given, room, theme, em)
  return {
    svg: [...head.svg, ...unit.svg, ...body.svg],
    cut: [...head.cut, ...(unit.cut ? ['unit'] : []), ...body.cut],
  }
}

/** Of several series, what each looks like; nothing of a single one. */
function legend({ type, series }: ChartInput, box: Box, theme: Theme, em: number): Plotted {
  if (series.length < 2) return { svg: [], cut: [] }
  const share = box.width / series.length
  const entries = series.map(({ name = '' }, at) => {
    const x = box.x + at * share
    const place = { x: x + 1.9 * em, y: box.y, width: share - 2.4 * em, height: 1.5 * em }
    const made = written(name, plain(theme, em), place, theme.ink)
    return { svg: [mark(type, x, box.y + 0.75 * em, em, theme, at), ...made.svg], cut: made.cut }
  })
  return {
    svg: entries.flatMap(({ svg }) => svg),
    cut: entries.flatMap(({ cut }, at) => (cut ? `series[${at}].name` : [])),
  }
}

function mark(type: ChartInput['type'], x: number, y: number, em: number, theme: Theme, at: number): Svg {
  if (type !== 'line') return circle(x + 0.5 * em, y, 0.5 * em, colourOf(theme, at))
  return lineOf(
    [
      [x, y],
      [x + 1.5 * em, y],
    ],
    theme,
    at,
    em,
  )
}
