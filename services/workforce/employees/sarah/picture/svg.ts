/** Pictures as SVG: a few shapes, and text as outlines, so that a picture looks the same wherever it is shown and holds no script. */
import type { Box } from '../type/set.ts'
import { place, type SetText } from '../type/set.ts'

/** Part of an SVG, of which every text has been escaped. */
export type Svg = string & { readonly __svg: unique symbol }

type Values = Readonly<Record<string, string | number | undefined>>

/** `attributes` are the engine's own words and numbers; foreign text among them is escaped. */
export const element = (name: string, attributes: Values, ...children: readonly Svg[]): Svg => {
  const said = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : ` ${key}="${escaped(typeof value === 'number' ? String(round(value)) : value)}"`,
  )
  return (
    children.length > 0 ? `<${name}${said.join('')}>${children.join('')}</${name}>` : `<${name}${said.join('')}/>`
  ) as Svg
}

export const rect = ({ x, y, width, height }: Box, fill: string, rest: Values = {}): Svg =>
  element('rect', { x, y, width, height, fill, ...rest })

export const path = (d: string, fill: string, rest: Values = {}): Svg => element('path', { d, fill, ...rest })

export const circle = (cx: number, cy: number, r: number, fill: string, rest: Values = {}): Svg =>
  element('circle', { cx, cy, r, fill, ...rest })

export const group = (attributes: Values, ...children: readonly Svg[]): Svg => element('g', attributes, ...children)

/** A text in its box. The box stands in the picture, so that anybody can measure whether the text is in it. */
export function text(
  set: SetText,
  box: Box,
  fill: string,
  align: 'start' | 'center' | 'end' = 'start',
  vertical: 'top' | 'middle' | 'bottom' = 'top',
): Svg {
  const { path: d } = place(set, box, align, vertical)
  const where = [box.x, box.y, box.width, box.height].map(round).join(' ')
  return element('path', { class: 'text', 'data-box': where, 'aria-label': set.text, fill, d })
}

/** A whole picture. `alternative` is what a reader hears who does not see it. */
export function picture(
  { width, height }: { readonly width: number; readonly height: number },
  alternative: string,
  ...children: readonly Svg[]
): string {
  const size = { width: round(width), height: round(height) }
  const title = `<title>${escaped(alternative)}</title>` as Svg
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', ...size, viewBox: `0 0 ${size.width} ${size.height}`, role: 'img' },
    title,
    ...children,
  )
}

/** As text or attribute of XML; what XML does not allow is gone. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what XML 1.0 does not allow.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`)

const round = (value: number) => Math.round(value * 100) / 100
