/** Typefaces that a page brings along, so that it looks the same wherever it is opened. */
import { type Face, fileOf } from './faces.ts'
import { type Style, shape } from './shape.ts'

/** As rules of CSS, each file once: what the texts need, no more. */
export function webFaces(texts: Iterable<readonly [text: string, style: Style]>): string[] {
  const needed = new Map<string, Face>()
  for (const [text, style] of texts)
    for (const { runs, space } of shape(text, style).words)
      for (const { glyphs } of [...runs, ...(space ? [space] : [])])
        for (const { face } of glyphs)
          needed.set(`${face.family.name} ${face.family.variable ? '' : face.weight} ${face.subset}`, face)
  return [...needed.keys()].toSorted().map(key => ruleOf(needed.get(key) as Face))
}

function ruleOf({ family, subset, weight, ranges }: Face): string {
  const data = fileOf(family, subset, weight, 'woff2').toString('base64')
  return `@font-face { font-family: '${family.name}'; font-weight: ${family.variable ? '100 900' : weight}; src: url(data:font/woff2;base64,${data}) format('woff2'); unicode-range: ${ranges}; }`
}
