/** Words over a photograph: at its foot, white, on a shade that is as dark as the pixels below them ask for. */
import { READABLE } from '../colour/contrast.ts'
import { imageOf } from '../picture/foreign.ts'
import { measureTexts } from '../picture/measure.ts'
import { element, picture, rect, type Svg } from '../picture/svg.ts'
import { type Written, written } from '../scene/column.ts'
import type { Theme } from '../scene/theme.ts'
import type { Texts } from './result.ts'

export interface Captioned {
  readonly svg: string
  /** Texts of which not all had room. */
  readonly cut: readonly string[]
}

export const SHADE = '#000000'
export const WORDS = '#ffffff'
/** Carries white text on any photograph: 255 × 0.35 under white is 8.6 to 1. */
const STRONGEST = 0.65

export function captioned(
  photograph: Uint8Array,
  texts: Texts,
  size: { readonly width: number; readonly height: number },
  theme: Theme,
  alternative: string,
): Captioned {
  const { lines, top } = placed(texts, size, theme)
  const image = imageOf(photograph, 'png', size)
  const words = lines.flatMap(([, { svg }]) => svg)
  const drawn = (strength: number) => picture(size, alternative, image, ...shade(size, top, strength), ...words)
  const svg = drawn(strengthFor(leastContrast(drawn(0))))
  const isReadable = leastContrast(svg) >= READABLE
  return { svg: isReadable ? svg : drawn(STRONGEST), cut: lines.flatMap(([name, { cut }]) => (cut ? name : [])) }
}

const leastContrast = (svg: string): number => Math.min(21, ...measureTexts(svg).map(({ contrast }) => contrast))

/** How much of the shade brings the brightest pixel, of which white has that contrast, down to where it can be read. */
function strengthFor(contrast: number): number {
  const brightness = (ratio: number) => (1.05 / ratio - 0.05) ** (1 / GAMMA)
  const needed = 1 - brightness(READABLE) / brightness(contrast)
  return Math.min(STRONGEST, Math.max(LEAST, needed + MARGIN))
}

/** Of sRGB, nearly. */
const GAMMA = 2.2
/** What that may be off by, and the edges of letters. */
const MARGIN = 0.06
/** Words never stand on a photograph as it is: letters of one weight need a calmer ground than their contrast says. */
const LEAST = 0.25

/** From the bottom up, and where the first line begins. */
function placed(texts: Texts, { width, height }: { readonly width: number; readonly height: number }, theme: Theme) {
  const unit = Math.min(width, 1.2 * height) / 100
  const pad = 6 * unit
  const gap = 1.8 * unit
  const setting = (size: number, weight: 400 | 600) => ({
    family: theme.body,
    weight,
    size: size * unit,
    smallest: 1.8 * unit,
    leading: 1.35,
  })
  const heading = {
    ...setting(8, 600),
    family: theme.heading,
    weight: 700 as const,
    leading: 1.1,
    tracking: -0.015,
    balanced: true,
  }
  // What each may take of the height.
  const all = [
    ['label', setting(2.9, 600), 0.06],
    ['title', heading, 0.3],
    ['subtitle', setting(3.8, 400), 0.16],
    ['footer', setting(2.9, 600), 0.06],
  ] as const
  const set = all
    .filter(([name]) => texts[name] !== '')
    .map(([name, how, share]) => ({
      name,
      at: (y: number): Written =>
        written(texts[name], how, { x: pad, y, width: width - 2 * pad, height: share * height }, WORDS),
    }))
    .map(line => ({ ...line, height: line.at(0).height }))
  const top = height - pad - set.reduce((sum, line) => sum + line.height, 0) - gap * (set.length - 1)
  let y = top
  const lines = set.map(({ name, at, height: high }) => {
    const line = at(y)
    y += high + gap
    return [name, line] as const
  })
  return { lines, top }
}

/** Whole behind the words, and fading out above them. */
function shade(
  { width, height }: { readonly width: number; readonly height: number },
  top: number,
  strength: number,
): Svg[] {
  // Whole pixels: where two edges share one, a line shows.
  const begin = Math.max(0, Math.floor(top - 0.03 * height))
  const fade = Math.min(begin, Math.round(0.3 * height))
  const stop = (offset: number, opacity: number) =>
    element('stop', { offset, 'stop-color': SHADE, 'stop-opacity': opacity })
  return [
    element('linearGradient', { id: 'shade', x1: 0, y1: 0, x2: 0, y2: 1 }, stop(0, 0), stop(1, strength)),
    rect({ x: 0, y: begin - fade, width, height: fade }, 'url(#shade)'),
    rect({ x: 0, y: begin, width, height: height - begin }, SHADE, { 'fill-opacity': strength }),
  ]
}
