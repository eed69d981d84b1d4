/** A social card or a banner: shapes on one side, text on the other, so that no text stands on a shape. */
import type { Svg } from '../picture/svg.ts'
import { rect } from '../picture/svg.ts'
import { type Written, written } from '../scene/column.ts'
import { ornament } from '../scene/ornament.ts'
import type { Theme } from '../scene/theme.ts'
import type { Box } from '../type/set.ts'
import type { Texts } from './result.ts'

export interface Drawn {
  readonly svg: readonly Svg[]
  readonly cut: readonly string[]
}

export function card(texts: Texts, size: { readonly width: number; readonly height: number }, theme: Theme): Drawn {
  const { shapes, room } = parted(size)
  const unit = Math.min(room.width, room.height * 1.2) / 100
  const head = (scale: number, most: number) => ({
    family: theme.heading,
    weight: 700 as const,
    size: scale * unit,
    smallest: most * unit,
    leading: 1.1,
    balanced: true,
    tracking: -0.015,
  })
  const plain = (scale: number, weight: 400 | 600 = 400) => ({
    family: theme.body,
    weight,
    size: scale * unit,
    smallest: 2.2 * unit,
    leading: 1.4,
  })
  const line = 5.5 * unit
  const footer = written(
    texts.footer,
    plain(3.4, 600),
    { ...room, y: room.y + room.height - line, height: line },
    theme.muted,
  )
  const label = written(texts.label, plain(3.4, 600), { ...room, height: line }, theme.muted)
  const top = room.y + (texts.label === '' ? 0 : 2 * line)
  const bottom = room.y + room.height - (texts.footer === '' ? 0 : 2 * line)
  const high = bottom - top
  const gap = texts.subtitle === '' ? 0 : 3.5 * unit
  const share = texts.subtitle === '' ? 1 : 0.64
  // Once to see how high the two are, once to stand them in the middle.
  const block = (y: number): readonly [Written, Written] => {
    const title = written(texts.title, head(12, 3), { ...room, y, height: high * share }, theme.ink)
    const below = { ...room, y: y + title.height + gap, height: high - title.height - gap }
    return [
      title,
      written(
        texts.subtitle,
        { ...plain(4.6), balanced: true },
        { ...below, height: Math.min(below.height, high * 0.5) },
        theme.muted,
      ),
    ]
  }
  const [one, two] = block(top)
  const [title, subtitle] = block(top + (high - one.height - two.height - gap) / 2)
  const said = { label, title, subtitle, footer }
  return {
    svg: [
      rect({ x: 0, y: 0, ...size }, theme.ground),
      ornament(shapes, size.width > 2.2 * size.height ? 2 : 3, theme),
      ...Object.values(said).flatMap(({ svg }) => svg),
    ],
    cut: Object.entries(said).flatMap(([name, { cut }]) => (cut ? name : [])),
  }
}

/** Wide pictures have the shapes at their right, others above the text. */
function parted({ width, height }: { readonly width: number; readonly height: number }): { shapes: Box; room: Box } {
  const pad = 0.065 * Math.min(width, height) + 0.012 * width
  if (width >= 1.25 * height) {
    const wide = Math.min(0.36 * width, height)
    const shapes = { x: width - wide, y: 0, width: wide, height }
    return { shapes, room: { x: pad, y: pad, width: width - wide - 2 * pad, height: height - 2 * pad } }
  }
  const high = Math.min(0.38 * height, width)
  const shapes = { x: 0, y: 0, width, height: high }
  return { shapes, room: { x: pad, y: high + pad, width: width - 2 * pad, height: height - high - 2 * pad } }
}
