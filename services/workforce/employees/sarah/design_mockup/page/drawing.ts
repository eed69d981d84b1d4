/** A page that is laid out, as a picture. */
import { picture, rect, type Svg, text } from '../../picture/svg.ts'
import type { Theme } from '../../scene/theme.ts'
import type { Laid } from './layout.ts'

export function drawingOf(page: Laid, theme: Theme, alternative: string): string {
  const size = { width: page.box.width, height: Math.ceil(page.box.height) }
  return picture(size, alternative, rect({ x: 0, y: 0, ...size }, theme.ground), ...draw(page, theme))
}

function draw({ part, style, box, text: set, children }: Laid, theme: Theme): Svg[] {
  const svg: Svg[] = []
  if (style.fill || style.line) {
    const inset = style.line ? 0.5 : 0
    const inner = {
      x: box.x + inset,
      y: box.y + inset,
      width: box.width - 2 * inset,
      height: box.height - 2 * inset,
    }
    const radius = Math.min(style.radius ?? 0, box.height / 2)
    svg.push(
      rect(inner, style.fill ? theme[style.fill] : 'none', {
        ...(radius > 0 && { rx: radius - inset }),
        ...(style.line && { stroke: theme[style.line] }),
      }),
    )
  }
  if (style.above) svg.push(rect({ ...box, height: 1 }, theme[style.above]))
  if (part.drawing) svg.push(...part.drawing(box, theme))
  if (set) svg.push(text(set.set, set.box, theme[style.colour ?? 'ink'], style.text ?? 'start', 'top'))
  return [...svg, ...children.flatMap(child => draw(child, theme))]
}
