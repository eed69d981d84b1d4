/** Makes a mock-up of a page by rules: one tree of parts, as HTML for browsers, as pictures for everybody. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import { pngOf } from '../picture/pixels.ts'
import { type Theme, themeOf } from '../scene/theme.ts'
import { unpackFor } from '../type/east-asian.ts'
import { FAMILIES } from '../type/families.ts'
import type { Box } from '../type/set.ts'
import type { Style as TextStyle } from '../type/shape.ts'
import { webFaces } from '../type/web-faces.ts'
import { drawingOf } from './page/drawing.ts'
import { htmlOf } from './page/html.ts'
import { type Laid, layOut } from './page/layout.ts'
import { nameOf, pageOf } from './page/page.ts'
import type { Part } from './page/part.ts'
import { SHEET } from './page/sheet.ts'
import { COLOURS, type Style, VIEWPORTS, type Viewport } from './page/style.ts'
import type { Input, Result } from './result.ts'
import { shownAs } from './shown.ts'

/** The most of a picture, in pixels: what is higher nobody looks at, and it has to be in memory whole. */
const HIGHEST = 12_000

export async function rules({ input: given, language = 'en', seed }: Brief<Input>): Promise<Answer<Result>> {
  await unpackFor(given)
  const { input, missing, idle } = shownAs(given)
  const theme = themeOf({ name: input.brand ?? input.title, theme: 'light', ...wishOf(input) }, seed)
  const body = pageOf(input)
  const viewports = Object.keys(VIEWPORTS) as Viewport[]
  const laid = viewports.map(viewport => ({ viewport, page: layOut(body, viewport, theme) }))
  const asked = laid.filter(({ viewport }) => (input.viewports ?? viewports).includes(viewport))
  for (const { viewport, page } of asked)
    if (page.box.height > HIGHEST)
      throw new Refusal(
        'input.blocks',
        `On ${viewport} the page is ${Math.ceil(page.box.height)} pixels high, and at most ${HIGHEST} are drawn. Give fewer blocks or shorter texts.`,
      )
  const faces = webFaces(textsOf(body, theme))
  const html = htmlOf({ body, title: input.title, language, theme, faces, sizes: sizesOf(laid) })
  const pictures = asked.map(({ viewport, page }) => ({ viewport, page, svg: drawingOf(page, theme, input.title) }))
  const artifacts = [
    { name: 'page.html', media_type: 'text/html', bytes: new TextEncoder().encode(html) },
    ...pictures.flatMap(({ viewport, svg }) => [
      { name: `${viewport}.svg`, media_type: 'image/svg+xml', bytes: new TextEncoder().encode(svg) },
      { name: `${viewport}.png`, media_type: 'image/png', bytes: pngOf(svg) },
    ]),
  ]
  const result: Result = {
    title: input.title,
    theme: theme.id === 'dark' ? 'dark' : 'light',
    blocks: input.blocks.map(nameOf),
    pictures: pictures.map(({ viewport, page }) => ({
      viewport,
      width: page.box.width,
      height: Math.ceil(page.box.height),
    })),
    colours: Object.fromEntries(COLOURS.map(colour => [colour, theme[colour]])),
    typefaces: [...new Set([FAMILIES[theme.heading].name, FAMILIES[theme.body].name])],
    cut: [...new Set(asked.flatMap(({ page }) => cutIn(page)))],
    files: artifacts.map(({ name }) => name),
  }
  return { result, text: readingOf(result), artifacts, warnings: warningsOf(result, missing, idle) }
}

const wishOf = ({ keywords, base_color, theme }: Input) => ({
  ...(keywords && { keywords }),
  ...(base_color !== undefined && { base_color }),
  ...(theme && { theme }),
})

function* partsOf(part: Part): Generator<Part> {
  yield part
  for (const child of part.children) yield* partsOf(child)
}

function* textsOf(body: Part, theme: Theme): Generator<readonly [string, TextStyle]> {
  for (const { text, style } of partsOf(body)) {
    const { face = 'body', weight = 400 }: Style = SHEET[style]
    if (text !== undefined) yield [text, { family: theme[face], weight }]
  }
}

function sizesOf(laid: readonly { readonly viewport: Viewport; readonly page: Laid }[]) {
  const sizes = new Map<Part, Partial<Record<Viewport, Box>>>()
  const enter = (viewport: Viewport, { part, box, children }: Laid) => {
    if (part.drawing) sizes.set(part, { ...sizes.get(part), [viewport]: box })
    for (const child of children) enter(viewport, child)
  }
  for (const { viewport, page } of laid) enter(viewport, page)
  return sizes
}

const cutIn = ({ text, children }: Laid): string[] => [
  ...(text?.set.cut ? [text.set.text] : []),
  ...children.flatMap(cutIn),
]

const readingOf = ({ title, blocks, pictures }: Result): string =>
  [
    `${title}: a page of ${blocks.map(name => name.replaceAll('_', ' ')).join(', ')}.`,
    'page.html is for browsers of any width, and asks nothing of anybody.',
    ...pictures.map(({ viewport, width, height }) => `${viewport}: ${width} by ${height} pixels.`),
  ].join('\n')

function warningsOf({ cut }: Result, missing: readonly string[], idle: readonly string[]): string[] {
  return [
    ...idle.map(param => `\`${param}\` has no effect: a field of this type does not show it.`),
    ...(cut.length > 0 ? [`These texts are longer than their field shows: ${cut.slice(0, 5).join(' · ')}`] : []),
    ...(missing.length > 0
      ? [`Left out, or set without their marks, since no typeface here has them: ${missing.slice(0, 20).join(' ')}`]
      : []),
  ]
}
