/** The colours and typefaces of one picture: text only in pairs that can be read. */
import { contrast, READABLE, SEEN } from '../colour/contrast.ts'
import { chances, directionOf } from '../colour/direction.ts'
import { paletteOf } from '../colour/palette.ts'
import type { FamilyId } from '../type/families.ts'
import { seriesOn } from './series.ts'

export const THEMES = ['light', 'dark', 'brand'] as const

export type ThemeId = (typeof THEMES)[number]

export interface Theme {
  readonly id: ThemeId
  readonly ground: string
  readonly ink: string
  readonly muted: string
  /** A card or a band on the ground. */
  readonly surface: string
  /** Of a card that stands out among others, in the hue of the brand. */
  readonly tint: string
  /** What a button is filled with, and its text. */
  readonly strong: string
  readonly onStrong: string
  /** Of a line that parts things: no text stands on it. */
  readonly rule: string
  /** Of a line that has to be seen: 3 to 1 against ground and surface, by WCAG 1.4.11. */
  readonly edge: string
  /** A tint of the base colour, and text on it. */
  readonly soft: string
  readonly onSoft: string
  /** Of text that leads somewhere, on the ground or the surface. */
  readonly link: string
  /** Of what tells numbers apart, one for each series that a chart may have; each seen on the ground as `edge` is. */
  readonly series: readonly string[]
  /** Of shapes without text, the leading one first. */
  readonly shapes: readonly string[]
  readonly heading: FamilyId
  readonly body: FamilyId
  readonly chance: (at: number) => number
}

export interface Wish {
  /** What the picture is of: it decides where nothing else does. */
  readonly name: string
  readonly keywords?: readonly string[]
  readonly base_color?: string
  readonly theme?: ThemeId
}

export function themeOf({ theme, ...wish }: Wish, seed: number): Theme {
  const direction = directionOf(wish, seed)
  const { base, ramps, pairs } = paletteOf(direction)
  const { brand, accent, neutral } = ramps
  const chance = chances(`scene\n${wish.name}\n${seed}`)
  const id = theme ?? THEMES[Math.floor(chance(0) * THEMES.length)] ?? 'light'
  const pair = (use: string, of: 'light' | 'dark') => {
    const found = pairs.find(each => each.use === use && each.theme === of)
    return [found?.text ?? '#000000', found?.background ?? '#ffffff'] as const
  }
  const lightness = id === 'dark' ? 'dark' : 'light'
  const [onBrand] = pair('on-brand', lightness)
  const [ink, ground] = id === 'brand' ? [onBrand, base] : pair('text', lightness)
  const isBrand = id === 'brand'
  const [onSoft, soft] = pair('on-brand-soft', isBrand ? 'light' : lightness)
  const surface = isBrand ? soft : pair('on-surface', lightness)[1]
  const muted = isBrand ? onBrand : pair('text-muted', lightness)[0]
  const link = isBrand ? onBrand : pair('link', lightness)[0]
  const tints = lightness === 'dark' ? [brand[900], brand[950]] : [brand[100], brand[50]]
  const tint = tints.find(shade => [ink, muted, link].every(text => contrast(text, shade) >= READABLE))
  const seen = (colours: readonly string[], ...on: readonly string[]) =>
    colours.filter(colour => on.every(behind => contrast(colour, behind) >= SEEN))
  return {
    id,
    ground,
    ink,
    muted,
    surface,
    tint: tint ?? surface,
    strong: isBrand ? soft : base,
    onStrong: isBrand ? onSoft : onBrand,
    rule: isBrand ? onBrand : lightness === 'dark' ? neutral[800] : neutral[200],
    edge: seen([neutral[500], neutral[600], neutral[400]], ground, surface)[0] ?? ink,
    soft,
    onSoft,
    link,
    series: seriesOn(
      ground,
      {
        light: [base, accent[600], brand[900], neutral[500], brand[600]],
        dark: [base, brand[400], accent[400], brand[200], neutral[400]],
        brand: [onBrand, accent[300], brand[200], brand[950], accent[900]],
      }[id],
    ),
    shapes: {
      light: [base, accent[400], brand[200], brand[800]],
      dark: [brand[400], accent[400], brand[700], brand[200]],
      brand: [brand[200], accent[300], brand[900], brand[50]],
    }[id],
    heading: direction.heading,
    body: direction.body,
    chance,
  }
}
