import type { Check } from '../../src/answer.ts'
import type { Checks } from '../../src/kind.ts'
import { contrast, READABLE, SEEN } from '../colour/contrast.ts'
import { measureTexts } from '../picture/measure.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (_brief, { result, artifacts = [] }) => {
  const least = Math.min(...result.pairs.map(({ text, background }) => contrast(text, background)))
  const dark = result.pairs.find(({ use, theme }) => use === 'text' && theme === 'dark')?.background ?? '#000000'
  const svgs = artifacts.flatMap(({ name, bytes }) => {
    if (!name.endsWith('.svg')) return []
    const svg = new TextDecoder().decode(bytes)
    return { name, svg: FOR_DARK.test(name) ? laidOn(svg, dark) : svg }
  })
  const drawn = svgs.filter(({ name }) => name.startsWith('logo')).flatMap(({ svg }) => measureTexts(svg))
  const outside = Math.max(0, ...drawn.map(text => text.outside))
  const ink = Math.min(21, ...drawn.map(text => text.contrast))
  const mark = Math.min(...svgs.map(({ svg }) => contrastOfMark(svg)))
  const square = artifacts.flatMap(({ name, bytes }) => {
    const wanted = /-(\d+)\.png$/.exec(name)?.[1]
    return wanted === undefined ? [] : { wanted: Number(wanted), is: Buffer.from(bytes).readUInt32BE(16) }
  })
  const sized = square.filter(({ wanted, is }) => wanted === is).length
  return [
    measured('least_contrast_of_pairs', least >= READABLE, Number(least.toFixed(2)), READABLE),
    measured('least_contrast_of_the_logo', ink >= READABLE, Number(ink.toFixed(2)), READABLE),
    measured('least_contrast_of_the_mark', mark >= SEEN, Number(mark.toFixed(2)), SEEN),
    measured('no_text_outside_its_box_px', outside <= 0.01, Number(outside.toFixed(2)), 0),
    measured('pictures_of_their_size', sized === square.length, sized, square.length),
  ]
}

/** They have no ground of their own, and are for dark ones. */
const FOR_DARK = /^logo-(?:light|white)\.svg$/

const laidOn = (svg: string, ground: string): string =>
  svg.replace(/^<svg[^>]*>/, head => `${head}<rect x="0" y="0" width="100%" height="100%" fill="${ground}"/>`)

const measured = (id: string, pass: boolean, value: number, target: number): Check => ({ id, pass, value, target })

/** Of the colours of its shapes on its ground; what has the ground's own colour is cut out of them. White where there is none. */
function contrastOfMark(svg: string): number {
  const shapes = svg.replaceAll(/<path class="text"[^>]*>/g, '')
  const [, ground = '#ffffff'] = /<rect x="0" y="0"[^>]* fill="(#[0-9a-f]{6})"/.exec(shapes) ?? []
  const fills = [...shapes.matchAll(/ fill="(#[0-9a-f]{6})"/g)].map(([, fill = '']) => fill)
  return Math.min(21, ...fills.filter(fill => fill !== ground).map(fill => contrast(fill, ground)))
}
