/** A photograph by an image model, cut to its size and drawn anew; words are set on it by rules, never by the model. */
import { createHash } from 'node:crypto'
import type { Artifact } from '../../src/answer.ts'
import { Refusal } from '../../src/brief.ts'
import type { Depict } from '../../src/kind.ts'
import { BadAnswer } from '../../src/run-rules.ts'
import { redrawn } from '../picture/foreign.ts'
import { pngOf } from '../picture/pixels.ts'
import { LEAST_SPREAD, spreadOf } from '../picture/spread.ts'
import { themeOf } from '../scene/theme.ts'
import { unpackFor } from '../type/east-asian.ts'
import { FAMILIES } from '../type/families.ts'
import { visible } from '../type/visible.ts'
import { captioned, SHADE, WORDS } from './caption.ts'
import type { Input, Result } from './result.ts'
import { cleanTexts, lossesOf, readAloud } from './texts.ts'

const [USUAL_WIDTH, USUAL_HEIGHT] = [1_200, 800]

export const depict: Depict<Input, Result> = async ({ topic, input, seed }, ask) => {
  await unpackFor(input)
  const subject = visible(input.subject ?? topic, 1_000)
  if (subject === '') throw new Refusal('input.subject', 'A photograph needs a subject: what is to be seen on it.')
  const style = visible(input.style ?? '', 300)
  const theme = themeOf({ ...input, name: subject }, seed)
  const { texts, cut: tooLong, missing } = cleanTexts(input, theme)
  const size = { width: input.width ?? USUAL_WIDTH, height: input.height ?? USUAL_HEIGHT }

  const given = await ask({ prompt: described({ subject, ...(style !== '' && { style }) }), ...size })
  const { png, pixels, came } = redrawn(given, size)
  if (spreadOf(pixels) < LEAST_SPREAD) throw new BadAnswer('the picture is of one colour: there is nothing on it')

  const words = readAloud(texts)
  const alternative = [`${subject.replace(/[.。]$/u, '')}.`, words].filter(said => said !== '').join(' ')
  const { svg, cut } = words === '' ? noWords : captioned(png, texts, size, theme, alternative)
  const artifacts: Artifact[] =
    svg === undefined
      ? [{ name: 'image.png', media_type: 'image/png', bytes: png }]
      : [
          { name: 'image.svg', media_type: 'image/svg+xml', bytes: new TextEncoder().encode(svg) },
          { name: 'image.png', media_type: 'image/png', bytes: pngOf(svg) },
          { name: 'photograph.png', media_type: 'image/png', bytes: png },
        ]
  const result: Result = {
    picture: 'photograph',
    ...size,
    theme: 'dark',
    colours: { ground: SHADE, text: WORDS, shapes: [] },
    typefaces: svg === undefined ? [] : [...new Set([FAMILIES[theme.heading].name, FAMILIES[theme.body].name])],
    cut: [...new Set([...tooLong, ...cut])],
    alternative,
    files: artifacts.map(({ name }) => name),
  }
  const isEnlarged = came.width < size.width || came.height < size.height
  return {
    result,
    text: `photograph of ${size.width} by ${size.height} pixels: ${alternative}`,
    artifacts,
    warnings: [
      'An image model made this picture: nobody was there. Whether it shows what was asked for has not been looked at.',
      ...(isEnlarged ? [`The picture came with ${came.width} by ${came.height} pixels, and was enlarged.`] : []),
      ...lossesOf(result.cut, missing),
      ...(input.chart ? ['The numbers of a chart were given, and no chart was asked for.'] : []),
    ],
  }
}

const noWords: { readonly svg?: string; readonly cut: readonly string[] } = { cut: [] }

/** Between marks with a digest of what they hold, so that nothing within can end it. */
function described(wish: { readonly subject: string; readonly style?: string }): string {
  const text = JSON.stringify(wish)
  const mark = `picture-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
  return `<${mark}>\n${text}\n</${mark}>`
}
