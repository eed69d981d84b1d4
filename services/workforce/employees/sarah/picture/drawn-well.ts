/** What is measured on every picture with text, from its files alone. */
import type { Answer, Check } from '../../src/answer.ts'
import { READABLE } from '../colour/contrast.ts'
import { measureTexts, overlapping } from './measure.ts'

export function drawnWell(
  artifacts: NonNullable<Answer['artifacts']>,
  /** Of the pictures, in their order. */
  wanted: readonly { readonly width: number; readonly height: number }[],
  /** Leaves out of an SVG what looks like a link and leads nowhere. */
  withoutOwn = (svg: string) => svg,
): Check[] {
  const svgs = artifacts.flatMap(({ name, bytes }) => (name.endsWith('.svg') ? new TextDecoder().decode(bytes) : []))
  const measured = svgs.map(svg => measureTexts(svg))
  const texts = measured.flat()
  const overlaps = measured.reduce((sum, of) => sum + overlapping(of), 0)
  const outside = Math.max(0, ...texts.map(text => text.outside))
  const least = Math.min(21, ...texts.map(text => text.contrast))
  const sizes = artifacts.flatMap(({ name, bytes }) => {
    const png = Buffer.from(bytes)
    return name.endsWith('.png') ? `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}` : []
  })
  const asked = wanted.map(({ width, height }) => `${width}x${height}`).join(' ')
  // What a reader hears is text, whatever it says: there a quote or a bracket is escaped.
  const markup = svgs.map(svg =>
    withoutOwn(svg)
      .replace(/ aria-label="[^"]*"/g, '')
      .replace(/<title>[^<]*<\/title>/g, ''),
  )
  const foreign = markup.filter(svg =>
    /<(?:script|foreignObject|image|use|a|style)\b|url\(|\son\w+=|href/i.test(svg),
  ).length
  return [
    { id: 'no_text_outside_its_box_px', pass: outside <= 0.01, value: Number(outside.toFixed(2)), target: 0 },
    { id: 'no_texts_that_overlap', pass: overlaps === 0, value: overlaps, target: 0 },
    { id: 'least_contrast', pass: least >= READABLE, value: Number(least.toFixed(2)), target: READABLE },
    { id: 'size_px', pass: sizes.join(' ') === asked, value: sizes.join(' '), target: asked },
    { id: 'no_files_with_script_or_links', pass: foreign === 0, value: foreign, target: 0 },
  ]
}
