/** Bars or lines over labelled places. ECharts was not taken here: it writes its labels as text of a font that the reader has to have. */
import { circle, element, rect, type Svg } from '../picture/svg.ts'
import { written } from '../scene/column.ts'
import type { Theme } from '../scene/theme.ts'
import type { Box } from '../type/set.ts'
import type { Drawn } from './card.ts'
import type { ChartInput, Texts } from './result.ts'

export function chart(
  texts: Texts,
  given: ChartInput,
  size: { readonly width: number; readonly height: number },
  theme: Theme,
): Drawn {
  const unit = Math.min(size.width, 1.6 * size.height) / 100
  const pad = 5 * unit
  const wide = size.width - 2 * pad
  const svg: Svg[] = [rect({ x: 0, y: 0, ...size }, theme.ground)]
  const cut: string[] = []
  const plain = (scale: number, weight: 400 | 600 = 400) => ({
    family: theme.body,
    weight,
    size: scale * unit,
    smallest: 0.9 * unit,
    leading: 1.3,
  })
  let y = pad
  const line = (
    name: string,
    said: string,
    setting: ReturnType<typeof plain>,
    ink: string,
    most: number,
    gap: number,
  ) => {
    const made = written(said, setting, { x: pad, y, width: wide, height: most }, ink)
    svg.push(...made.svg)
    if (made.cut) cut.push(name)
    if (said !== '') y += made.height + gap
  }
  line('label', texts.label, plain(1.7, 600), theme.muted, 3 * unit, unit)
  const title = { ...plain(4), family: theme.heading, weight: 600 as const, leading: 1.15 }
  line('title', texts.title, title as ReturnType<typeof plain>, theme.ink, 0.17 * size.height, 0.6 * unit)
  line('subtitle', texts.subtitle, plain(1.9), theme.muted, 0.1 * size.height, unit)
  y += unit
  const named = given.series.length > 1 ? given.series : []
  const share = wide / Math.max(1, named.length)
  for (const [at, { name = '' }] of named.entries()) {
    svg.push(circle(pad + at * share + 0.8 * unit, y + 1.1 * unit, 0.8 * unit, colourOf(theme, at)))
    const place = { x: pad + at * share + 2.4 * unit, y, width: share - 3.4 * unit, height: 2.3 * unit }
    svg.push(...written(name, plain(1.6), place, theme.ink).svg)
  }
  if (named.length > 0) y += 3.6 * unit
  line('unit', given.unit ?? '', plain(1.5), theme.muted, 2.2 * unit, 0.8 * unit)
  const foot = texts.footer === '' ? 0 : 3.4 * unit
  const footer = { x: pad, y: size.height - pad - 2.2 * unit, width: wide, height: 2.2 * unit }
  svg.push(...written(texts.footer, plain(1.5), footer, theme.muted).svg)
  const plot = {
    x: pad + 8 * unit,
    y: y + unit,
    width: wide - 8 * unit,
    height: size.height - pad - foot - y - 5.4 * unit,
  }
  svg.push(...plotted(given, plot, theme, unit, plain))
  return { svg, cut }
}

type Plain = (scale: number, weight?: 400 | 600) => Parameters<typeof written>[1]

function plotted(
  { type = 'bar', labels, series }: ChartInput,
  plot: Box,
  theme: Theme,
  unit: number,
  plain: Plain,
): Svg[] {
  const values = series.flatMap(each => each.values)
  const ticks = ticksOf(Math.min(...values), Math.max(...values), type === 'bar')
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const down = (value: number) => plot.y + plot.height * (1 - (value - low) / (high - low))
  const step = plot.width / labels.length
  const across = (at: number) => plot.x + step * (at + 0.5)
  const grid = ticks.flatMap(tick => [
    rect({ x: plot.x, y: down(tick) - 0.5, width: plot.width, height: 1 }, theme.rule, {
      opacity: tick === 0 ? 1 : 0.6,
    }),
    ...written(
      NUMBER.format(tick),
      { ...plain(1.5), leading: 1.1 },
      { x: plot.x - 8 * unit, y: down(tick) - 0.9 * unit, width: 7 * unit, height: 1.8 * unit, align: 'end' },
      theme.muted,
    ).svg,
  ])
  // Of many labels every second, third … is written, so that each has room for some letters.
  const every = Math.max(1, Math.ceil((4.5 * unit) / step))
  const under = labels.flatMap((label, at) =>
    at % every === 0
      ? written(
          label,
          plain(1.5),
          {
            x: Math.max(0, across(at) - 0.46 * step * every),
            y: plot.y + plot.height + unit,
            width: 0.92 * step * every,
            height: 3.6 * unit,
            align: 'center',
          },
          theme.muted,
        ).svg.filter(() => across(at) + 0.46 * step * every <= plot.x + plot.width + 4 * unit)
      : [],
  )
  const zero = down(Math.min(high, Math.max(low, 0)))
  const bar = (0.72 * step) / series.length
  const marks = series.flatMap((each, of) => {
    const colour = colourOf(theme, of)
    if (type === 'bar')
      return each.values.map((value, at) => {
        const x = across(at) - 0.36 * step + of * bar
        const height = Math.abs(down(value) - zero)
        return rect({ x, y: Math.min(down(value), zero), width: 0.92 * bar, height }, colour, {
          rx: Math.min(0.4 * unit, bar / 4, height / 2),
        })
      })
    const points = each.values.map((value, at) => `${across(at).toFixed(2)},${down(value).toFixed(2)}`).join(' ')
    const dots =
      each.values.length > 30 ? [] : each.values.map((value, at) => circle(across(at), down(value), 0.5 * unit, colour))
    return [
      element('polyline', {
        points,
        fill: 'none',
        stroke: colour,
        'stroke-width': 0.35 * unit,
        'stroke-linejoin': 'round',
      }),
      ...dots,
    ]
  })
  return [...grid, ...marks, ...under]
}

const colourOf = ({ shapes }: Theme, at: number): string => shapes[at % shapes.length] ?? '#000000'

const NUMBER = new Intl.NumberFormat('en', { maximumSignificantDigits: 6, notation: 'compact' })

/** Four to eight round numbers that hold all values; bars begin at zero, or they would lie about their shares. */
function ticksOf(least: number, most: number, fromZero: boolean): number[] {
  const low = fromZero ? Math.min(0, least) : least
  const high = fromZero ? Math.max(0, most) : most
  const span = high - low || Math.abs(high) || 1
  const ten = 10 ** Math.floor(Math.log10(span / 5))
  const step = ten * ([1, 2, 5, 10].find(times => span / (times * ten) <= 6) ?? 10)
  const first = Math.floor(low / step + 1e-9)
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9))
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step)
}
