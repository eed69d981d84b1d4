/** What is measured on a photograph, from its files alone. */
import type { Answer, Check } from '../../src/answer.ts'
import { drawnWell } from '../picture/drawn-well.ts'
import { pixelsOfPng } from '../picture/foreign.ts'
import { LEAST_SPREAD, spreadOf } from '../picture/spread.ts'
import type { Result } from './result.ts'

export function photographed(artifacts: NonNullable<Answer['artifacts']>, result: Result): Check[] {
  const pngs = artifacts.filter(({ name }) => name.endsWith('.png'))
  const [bare] = pngs.toReversed()
  const spread = bare ? Math.round(spreadOf(pixelsOfPng(bare.bytes, result))) : 0
  const foreign = pngs.reduce((sum, { bytes }) => sum + bytesBeside(Buffer.from(bytes)), 0)
  return [
    ...drawnWell(
      artifacts,
      pngs.map(() => result),
      withoutOwn,
    ),
    { id: 'spread_of_light', pass: spread >= LEAST_SPREAD, value: spread, target: LEAST_SPREAD },
    { id: 'no_metadata_bytes', pass: foreign === 0, value: foreign, target: 0 },
  ]
}

/** Without the photograph itself and the shade over it: neither leads out of the file. */
function withoutOwn(svg: string): string {
  const [before = '', after] = svg.split(' href="data:image/png;base64,')
  const rest = after === undefined ? before : before.replace(/<image [^<>]*$/, '') + after.slice(after.indexOf('"'))
  return rest.replaceAll('url(#shade)', '')
}

/** Of a PNG, what is neither its pixels nor how they are to be read. */
function bytesBeside(png: Buffer): number {
  let beside = 0
  for (let at = 8; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at)
    if (!['IHDR', 'PLTE', 'IDAT', 'IEND'].includes(png.toString('latin1', at + 4, at + 8))) beside += length
    at += 12 + length
  }
  return beside
}
