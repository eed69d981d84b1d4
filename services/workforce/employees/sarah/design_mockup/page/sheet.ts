/** How each part of a page looks, once: printed as CSS for browsers, and read by Yoga for pictures. Lengths are in pixels. */
import { BLOCKS } from './sheet-blocks.ts'
import { FOOT, FRAME } from './sheet-frame.ts'
import { TEXTS } from './sheet-text.ts'
import type { Ruled, Style, Viewport } from './style.ts'

/** In the order of the CSS. */
export const SHEET = { ...FRAME, ...TEXTS, ...BLOCKS, ...FOOT } as const satisfies Record<string, Ruled>

export type StyleName = keyof typeof SHEET

/** What holds of a part in a viewport: the rules of each narrower one come on top. */
export function styleIn(name: StyleName, viewport: Viewport): Style {
  const { tablet, mobile, ...rest }: Ruled = SHEET[name]
  const narrower = viewport === 'desktop' ? {} : viewport === 'tablet' ? { ...tablet } : { ...tablet, ...mobile }
  return { ...rest, ...narrower }
}

/** What CSS says of it in windows of that width and below alone. */
export const changesIn = (name: StyleName, viewport: 'tablet' | 'mobile'): Style | undefined =>
  (SHEET[name] as Ruled)[viewport]
