/** Composes a picture by rules. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import { pngOf } from '../picture/pixels.ts'
import { picture as svgOf } from '../picture/svg.ts'
import type { ChartInput } from '../scene/chart.ts'
import { colourOf } from '../scene/chart-style.ts'
import { numbersAloud } from '../scene/numbers-aloud.ts'
import { ornament } from '../scene/ornament.ts'
import { type Theme, themeOf } from '../scene/theme.ts'
import { unpackFor } from '../type/east-asian.ts'
import { FAMILIES } from '../type/families.ts'
import { card, type Drawn } from './card.ts'
import { chart } from './chart.ts'
import type { Input, Result, Texts } from './result.ts'
import { type Cleaning, cleanTexts, lossesOf, readAloud } from './texts.ts'

const SIZES = { social_card: [1200, 630], banner: [1500, 500], chart: [1200, 675], pattern: [1200, 1200] } as const

export async function rules({ input, seed }: Brief<Input>): Promise<Answer<Result>> {
  await unpackFor(input)
  const { picture } = input
  if (picture === 'photograph')
    throw new Refusal(
      'input.picture',
      'A photograph needs an image model: MILLHAND_IMAGE_URL sets the server of one. social_card, banner, chart and pattern are drawn without.',
    )
  const theme = themeOf({ ...input, name: input.title ?? picture }, seed)
  const { texts, missing, cut, clean } = cleanTexts(input, theme)
  if (picture !== 'pattern' && texts.title === '') throw new Refusal('input.title', `A ${picture} needs a title.`)
  const [usualWidth, usualHeight] = SIZES[picture]
  const size = { width: input.width ?? usualWidth, height: input.height ?? usualHeight }
  const given = picture === 'chart' ? numbers(input.chart, clean) : undefined
  const { svg: parts, cut: lacking } = draw(picture, texts, size, theme, given)
  const aloud = [readAloud(texts), given ? `${numbersAloud(given)}.` : ''].filter(said => said !== '').join(' ')
  const alternative = aloud || 'A pattern.'
  const svg = svgOf(size, alternative, ...parts)
  const files = ['image.svg', 'image.png']
  const candidates = given ? given.series.map((_, at) => colourOf(theme, at)) : theme.shapes
  const shapes = [...new Set(candidates)].filter(colour => svg.includes(`"${colour}"`))
  const result: Result = {
    picture,
    ...size,
    theme: theme.id,
    colours: { ground: theme.ground, text: theme.ink, shapes },
    typefaces: [...new Set([FAMILIES[theme.heading].name, FAMILIES[theme.body].name])],
    cut: [...new Set([...cut, ...lacking])],
    alternative,
    files,
  }
  return {
    result,
    text: `${picture.replace('_', ' ')} of ${size.width} by ${size.height} pixels: ${alternative}`,
    artifacts: [
      { name: 'image.svg', media_type: 'image/svg+xml', bytes: new TextEncoder().encode(svg) },
      { name: 'image.png', media_type: 'image/png', bytes: pngOf(svg) },
    ],
    warnings: warningsOf(input, texts, result, missing),
  }
}

function draw(
  picture: Result['picture'],
  texts: Texts,
  size: { readonly width: number; readonly height: number },
  theme: Theme,
  given: ChartInput | undefined,
): Drawn {
  if (picture === 'pattern') {
    const cells = 3 + Math.floor(theme.chance(2) * 4)
    return { svg: [ornament({ x: 0, y: 0, ...size }, cells, theme)], cut: [] }
  }
  return given ? chart(texts, given, size, theme) : card(texts, size, theme)
}

function numbers(given: ChartInput | undefined, clean: Cleaning['clean']): ChartInput {
  if (!given) throw new Refusal('input.chart', 'A chart needs its numbers.')
  const wrong = given.series.findIndex(({ values }) => values.length !== given.labels.length)
  if (wrong >= 0)
    throw new Refusal(
      `input.chart.series[${wrong}].values`,
      `There are ${given.labels.length} labels: as many values are needed.`,
    )
  return {
    ...given,
    labels: given.labels.map((label, at) => clean(label, `input.chart.labels[${at}]`, 60)),
    series: given.series.map(({ name = '', values }, at) => ({
      name: clean(name, `input.chart.series[${at}].name`, 60),
      values,
    })),
    unit: clean(given.unit ?? '', 'input.chart.unit', 60),
  }
}

function warningsOf(input: Input, texts: Texts, { cut }: Result, missing: ReadonlySet<string>): string[] {
  const idle = input.picture === 'pattern' && Object.values(texts).some(said => said !== '')
  return [
    ...lossesOf(cut, missing),
    ...(idle ? ['A pattern holds no text: what was given is its description alone.'] : []),
    ...(input.chart && input.picture !== 'chart'
      ? ['The numbers of a chart were given, and no chart was asked for.']
      : []),
  ]
}
