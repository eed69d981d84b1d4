/** A chart as a picture: what it says above, the numbers below. */
import { rect, type Svg } from '../picture/svg.ts'
import type { ChartInput } from '../scene/chart.ts'
import { written } from '../scene/column.ts'
import { plot } from '../scene/plot.ts'
import type { Theme } from '../scene/theme.ts'
import type { Setting } from '../type/set.ts'
import type { Drawn } from './card.ts'
import type { Texts } from './result.ts'

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
  const setting = (scale: number, rest: Partial<Setting> = {}) => ({
    family: theme.body,
    weight: 400 as const,
    size: scale * unit,
    smallest: 0.9 * unit,
    leading: 1.3,
    ...rest,
  })
  let y = pad
  const line = (name: keyof Texts, set: ReturnType<typeof setting>, ink: string, most: number, gap: number) => {
    const made = written(texts[name], set, { x: pad, y, width: wide, height: most }, ink)
    svg.push(...made.svg)
    if (made.cut) cut.push(name)
    if (texts[name] !== '') y += made.height + gap
  }
  line('label', setting(1.7, { weight: 600 }), theme.muted, 3 * unit, unit)
  const title = setting(4, { family: theme.heading, weight: 600, leading: 1.15, balanced: true })
  line('title', title, theme.ink, 0.17 * size.height, 0.6 * unit)
  line('subtitle', setting(1.9), theme.muted, 0.1 * size.height, unit)
  y += unit
  const foot = texts.footer === '' ? 0 : 3.4 * unit
  const footer = { x: pad, y: size.height - pad - 2.2 * unit, width: wide, height: 2.2 * unit }
  const below = written(texts.footer, setting(1.5), footer, theme.muted)
  svg.push(...below.svg)
  if (below.cut) cut.push('footer')
  const room = { x: pad, y, width: wide, height: size.height - pad - foot - y }
  const plotted = plot(given, room, theme, 1.55 * unit)
  return { svg: [...svg, ...plotted.svg], cut: [...cut, ...plotted.cut.map(name => `chart.${name}`)] }
}
