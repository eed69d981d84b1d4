/** What is measured on a picture that was made: whether each text is in its box, and how well it can be read there. */
import { pixelsOf } from './pixels.ts'

export interface MeasuredText {
  readonly text: string
  /** By how many pixels it leaves its box, or the picture. */
  readonly outside: number
  /** WCAG contrast against what is behind it, where that is least. */
  readonly contrast: number
  /** What its letters take of the picture, in its pixels. */
  readonly ink: Bounds
}

/** How many pairs of texts stand on each other: two of which the letters share more than a hundredth of a pixel either way. */
export function overlapping(texts: readonly MeasuredText[]): number {
  const share = (one: Bounds, other: Bounds) =>
    Math.min(
      Math.min(one.right, other.right) - Math.max(one.left, other.left),
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
    )
  return texts.flatMap(({ ink }, at) => texts.slice(at + 1).filter(other => share(ink, other.ink) > 0.01)).length
}

/** From the picture alone: the outlines are read from the SVG, the ground from its pixels without the text. */
export function measureTexts(svg: string): MeasuredText[] {
  const [, wide = '0', high = '0'] = /^<svg [^>]*width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? []
  const ground = pixelsOf(svg.replaceAll(drawnText, ''))
  const scale = ground.width / Number(wide)
  return [...svg.matchAll(drawnText)].flatMap(([, place = '', label = '', fill = '', d = '']) => {
    const [x = 0, y = 0, width = 0, height = 0] = place.split(' ').map(Number)
    const ink = bounds(d)
    if (!ink) return []
    const box = [Math.max(0, x), Math.max(0, y), Math.min(Number(wide), x + width), Math.min(Number(high), y + height)]
    const [left = 0, top = 0, right = 0, bottom = 0] = box
    const outside = Math.max(0, left - ink.left, top - ink.top, ink.right - right, ink.bottom - bottom)
    return { text: label, outside, contrast: leastContrast(ground, ink, scale, luminanceOf(fill)), ink }
  })
}

/** As `text` of svg.ts writes it: a foreign text can't look like it, since its signs are escaped. */
const drawnText = /<path class="text" data-box="([^"]*)" aria-label="([^"]*)" fill="([^"]*)" d="([^"]*)"\/>/g

interface Bounds {
  left: number
  top: number
  right: number
  bottom: number
}

function bounds(d: string): Bounds | undefined {
  const numbers = d.match(/-?\d+(?:\.\d+)?/g)?.map(Number)
  if (!numbers) return undefined
  const found = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const [x = 0, y = 0] = [numbers[at], numbers[at + 1]]
    found.left = Math.min(found.left, x)
    found.right = Math.max(found.right, x)
    found.top = Math.min(found.top, y)
    found.bottom = Math.max(found.bottom, y)
  }
  return found
}

function leastContrast({ width, height, data }: ReturnType<typeof pixelsOf>, ink: Bounds, scale: number, own: number) {
  let least = 21
  const to = (end: number, most: number) => Math.min(most, Math.ceil(end * scale))
  for (let y = Math.max(0, Math.floor(ink.top * scale)); y < to(ink.bottom, height); y++)
    for (let x = Math.max(0, Math.floor(ink.left * scale)); x < to(ink.right, width); x++) {
      const at = 4 * (y * width + x)
      // Where a picture lets through what is behind it, that is taken to be white.
      const alpha = data[at + 3] ?? 255
      const behind = (channel: number) =>
        LINEAR[Math.round(((data[at + channel] ?? 0) * alpha) / 255 + 255 - alpha)] ?? 0
      const ground = 0.2126 * behind(0) + 0.7152 * behind(1) + 0.0722 * behind(2)
      least = Math.min(least, (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05))
    }
  return least
}

/** sRGB as light, of each value of a channel: WCAG 2.2, relative luminance. */
const LINEAR = Float64Array.from({ length: 256 }, (_, value) =>
  value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
)

function luminanceOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => LINEAR[Number.parseInt(hex.slice(at, at + 2), 16)] ?? 0)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
