/** The colours of a brand as hex of sRGB, and which may stand on which. */
import { hexOf, lch } from './colour.ts'
import { contrast, READABLE, readableOn, SEEN } from './contrast.ts'
import type { Direction } from './direction.ts'
import { type Ramp, rampOf, STEPS } from './ramp.ts'

/** Text of one colour on a ground of another. */
export interface Pair {
  readonly use: string
  readonly theme: 'light' | 'dark'
  readonly text: string
  readonly background: string
  readonly contrast: number
}

export interface Palette {
  readonly base: string
  readonly ramps: Readonly<Record<'brand' | 'accent' | 'neutral', Ramp>>
  readonly pairs: readonly Pair[]
}

/** What a theme's parts are called. */
const USES = ['text', 'text-muted', 'link', 'on-brand', 'on-brand-soft', 'on-accent', 'on-surface'] as const

/** What happened, in the hues that readers know it by, in degrees of OKLCH: green, amber and red. */
const STATES = { success: 150, warning: 75, error: 25 } as const

/** Of a direction's chroma and hue in OKLCH; every pair has WCAG's 4.5 to 1. */
export function paletteOf({ chroma, hue, exact }: Direction): Palette {
  const brand = rampOf(chroma, hue)
  const accent = rampOf(Math.max(0.1, chroma * 0.9), hue + 150)
  const neutral = rampOf(Math.min(0.014, chroma / 8), hue)
  const down = (ramp: Ramp, from: number) => STEPS.filter(step => step >= from).map(step => ramp[step])
  const up = (ramp: Ramp, from: number) =>
    STEPS.filter(step => step <= from)
      .map(step => ramp[step])
      .reverse()
  const base = exact ?? down(brand, 600).find(shade => contrast(shade, '#ffffff') >= READABLE) ?? brand[800]
  const grounds = {
    light: { page: '#ffffff', surface: neutral[50], tint: brand[50], soft: brand[100], accent: accent[200] },
    dark: { page: neutral[950], surface: neutral[900], tint: brand[950], soft: brand[900], accent: accent[800] },
  }
  const pairs = (['light', 'dark'] as const).flatMap(theme => {
    const { page, surface, tint, soft, accent: lively } = grounds[theme]
    const shades = (ramp: Ramp, light: number, dark: number) => (theme === 'light' ? down(ramp, light) : up(ramp, dark))
    const inks: Record<(typeof USES)[number], readonly [string, string]> = {
      text: [readableOn([page, surface, tint], shades(neutral, 900, 50)), page],
      'text-muted': [readableOn([page, surface, tint], shades(neutral, 600, 400)), page],
      link: [readableOn([page, surface, tint], shades(brand, 600, 400)), page],
      'on-brand': [readableOn([base], ['#ffffff', brand[950]]), base],
      'on-brand-soft': [readableOn([soft], shades(brand, 800, 200)), soft],
      'on-accent': [readableOn([lively], shades(accent, 900, 100)), lively],
      'on-surface': [readableOn([surface], shades(neutral, 900, 50)), surface],
    }
    const states = Object.entries(STATES).flatMap(([state, angle]) => {
      const ramp = rampOf(0.15, angle)
      const ground = theme === 'light' ? ramp[100] : ramp[900]
      return [
        [state, [readableOn([page, surface, tint], shades(ramp, 600, 400)), page]],
        [`on-${state}`, [readableOn([ground], shades(ramp, 800, 200)), ground]],
      ] as const
    })
    return [...USES.map(use => [use, inks[use]] as const), ...states].map(([use, [text, background]]) => ({
      ...{ use, theme, text, background },
      contrast: Math.floor(100 * contrast(text, background)) / 100,
    }))
  })
  return { base, ramps: { brand, accent, neutral }, pairs }
}

/** Two colours of a mark on white: the base colour and its accent, each darker where it is too pale to be seen. */
export function markColours({ base, ramps }: Palette): readonly [string, string] {
  const { c, h } = lch(base)
  const seen = (shades: readonly string[]) => shades.find(shade => contrast(shade, '#ffffff') >= SEEN) ?? '#000000'
  return [
    seen([base, ...[0.6, 0.5, 0.4].map(l => hexOf(l, c, h))]),
    seen(STEPS.filter(step => step >= 400).map(step => ramps.accent[step])),
  ]
}
