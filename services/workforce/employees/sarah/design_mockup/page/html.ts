/** A page as one HTML file: no script, nothing from outside, every text escaped. */
import { element, escaped, group } from '../../picture/svg.ts'
import type { Theme } from '../../scene/theme.ts'
import type { Box } from '../../type/set.ts'
import { cssOf } from './css.ts'
import type { Attributes, Part } from './part.ts'
import { SHEET, type StyleName } from './sheet.ts'
import type { Style, Viewport } from './style.ts'

export interface Page {
  readonly body: Part
  readonly title: string
  readonly language: string
  readonly theme: Theme
  /** Rules of the typefaces that it brings along. */
  readonly faces: readonly string[]
  /** How large what is drawn is in each viewport, by the part. */
  readonly sizes: ReadonlyMap<Part, Partial<Record<Viewport, Box>>>
}

export function htmlOf(page: Page): string {
  const used = new Set<StyleName>()
  const content = print(page.body, page, used)
  return `<!DOCTYPE html>
<html lang="${escaped(page.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)}</title>
<style>
${cssOf(used, page.theme, page.faces)}
</style>
</head>
<body>
${content}
</body>
</html>
`
}

/** Whatever stood in it, the page could ask nobody for anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; form-action 'none'; base-uri 'none'"

function print(part: Part, page: Page, used: Set<StyleName>): string {
  used.add(part.style)
  const { tag, attributes, text, children } = part
  if (part.drawing && part.native !== true) return drawings(part, page)
  const isText = (SHEET[part.style] as Style).size !== undefined
  const start = `<${tag} class="${part.style}${isText ? ' t' : ''}"${written(attributes)}${isText && !part.holdsText ? ' dir="auto"' : ''}>`
  if (VOID.has(tag)) return start
  const filled = !part.holdsText || (tag === 'textarea' && attributes.placeholder !== text)
  const inner = text !== undefined && filled ? escaped(text) : ''
  return `${start}${inner}${children.map(child => print(child, page, used)).join('\n')}</${tag}>`
}

const VOID = new Set(['input', 'br', 'hr'])

const written = (attributes: Attributes): string =>
  Object.entries(attributes)
    .flatMap(([name, value]) =>
      value === undefined || value === false
        ? []
        : value === true
          ? ` ${name}`
          : ` ${name}="${escaped(String(value))}"`,
    )
    .join('')

/** One where it looks the same everywhere, else one for each viewport, of which CSS shows the one that fits. */
function drawings(part: Part, { sizes, theme }: Page): string {
  const known = Object.entries(sizes.get(part) ?? {}) as [Viewport, Box][]
  const fixed = typeof (SHEET[part.style] as Style).width === 'number'
  const all: [Viewport, Box][] = fixed ? known.slice(0, 1) : known
  return all
    .map(([viewport, { width, height }]) => {
      const of = part.drawing?.({ x: 0, y: 0, width, height }, theme) ?? []
      const { role, ...rest } = part.attributes as Record<string, string>
      return element(
        'svg',
        {
          class: fixed ? part.style : `plot at-${viewport}`,
          viewBox: `0 0 ${width.toFixed(2)} ${height.toFixed(2)}`,
          ...(fixed ? { width, height } : {}),
          role,
          ...rest,
        },
        group({}, ...of),
      )
    })
    .join('\n')
}
