/** Makes what a brand needs to be shown, by rules. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import { type Direction, directionOf, oklchOf } from '../colour/direction.ts'
import { paletteOf } from '../colour/palette.ts'
import { STEPS } from '../colour/ramp.ts'
import { unpackFor } from '../type/east-asian.ts'
import { FAMILIES } from '../type/families.ts'
import { settable } from '../type/settable.ts'
import { filesOf } from './files.ts'
import type { Input, Result, TypeStep } from './result.ts'

export async function rules({ input, seed }: Brief<Input>): Promise<Answer<Result>> {
  await unpackFor(input)
  const { text: name, missing, blank } = settable(input.name, 'input.name', { family: 'inter', weight: 600 }, 100)
  if (blank) throw new Refusal('input.name', 'Nothing of this name can be seen. Write one with a letter in it.')
  const direction = directionOf({ ...input, name }, seed)
  const palette = paletteOf(direction)
  const steps = typeScale(direction)
  const files = filesOf({ name, seed, direction, palette, steps })
  const result: Result = {
    brand: name,
    base: { hex: palette.base, oklch: oklchOf(palette.base), why: direction.why },
    ramps: Object.entries(palette.ramps).map(([ramp, colours]) => ({
      name: ramp,
      steps: STEPS.map(step => ({ step, hex: colours[step] })),
    })),
    pairs: palette.pairs,
    type: {
      heading: FAMILIES[direction.heading].name,
      body: FAMILIES[direction.body].name,
      ratio: direction.ratio,
      licence: 'SIL Open Font License 1.1',
      steps,
    },
    logo: { mark: direction.mark, why: direction.whyMark },
    files: files.map(({ name: file, purpose }) => ({ name: file, purpose })),
  }
  return {
    result,
    text: [
      `${name}: ${palette.base}. ${direction.why}`,
      `Headings in ${result.type.heading}, text in ${result.type.body}; each step of the scale is ${direction.ratio} times the last.`,
      `The mark: ${direction.mark}. ${direction.whyMark}`,
      `${files.length} files.`,
    ].join('\n'),
    artifacts: files.map(({ name: file, media_type, bytes }) => ({ name: file, media_type, bytes })),
    warnings: [
      'Whether somebody else has a similar name or mark was not looked up.',
      ...(missing.length > 0
        ? [`Left out, or set without their marks, since no typeface here has them: ${missing.slice(0, 20).join(' ')}`]
        : []),
    ],
  }
}

const NAMES = ['small', 'body', 'h4', 'h3', 'h2', 'h1', 'display'] as const

/** Each step is the body's 16 pixels times a power of the ratio; the larger, the tighter. */
const typeScale = ({ ratio, heading, body }: Direction): TypeStep[] =>
  NAMES.map((name, at) => {
    const isText = at < 2
    return {
      name,
      family: FAMILIES[isText ? body : heading].name,
      size_px: Number((16 * ratio ** (at - 1)).toFixed(2)),
      line_height: isText ? 1.55 : Number((1.32 - 0.05 * (at - 2)).toFixed(2)),
      weight: isText ? 400 : 600,
      letter_spacing_em: isText ? 0 : Number((-0.005 * (at - 1)).toFixed(3)),
    }
  })
