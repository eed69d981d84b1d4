/** A colour that somebody names, and what it is in OKLCH. */
import { type Color, converter, formatHex, parse, toGamut } from 'culori'
import { Refusal } from '../../src/brief.ts'

const intoSrgb = toGamut('rgb', 'oklch')
const toOklch = converter('oklch')

/** From CSS as it may stand in a brief, `param` of it: what is no opaque colour is refused, so no other text passes. */
export function colourNamed(css: string, param: string): ReturnType<typeof lch> {
  const colour = css.length <= 100 ? parse(css.trim()) : undefined
  if (colour === undefined || (colour.alpha ?? 1) < 1)
    throw new Refusal(
      param,
      `This is no opaque colour. Write it as CSS does, for example #1f6feb or oklch(0.6 0.2 260).`,
    )
  const known = lch(colour)
  if (![known.l, known.c, known.h].every(Number.isFinite)) throw new Refusal(param, 'This colour has no finite values.')
  return known
}

/** As it can be shown on any screen. */
export const hexOf = (l: number, c: number, h: number): string =>
  formatHex(intoSrgb({ mode: 'oklch', l: Math.min(1, Math.max(0, l)), c: Math.max(0, c), h }))

/** What a colour is in OKLCH, as near as a screen shows it; a grey has hue 0. */
export function lch(colour: string | Color): { readonly l: number; readonly c: number; readonly h: number } {
  const { l, c, h } = toOklch(intoSrgb(colour)) ?? { l: Number.NaN, c: Number.NaN }
  return { l, c, h: h ?? 0 }
}
