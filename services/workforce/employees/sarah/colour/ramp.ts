/** A colour from light to dark, in steps that are even to the eye. */
import { hexOf } from './colour.ts'

export const STEPS = [50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950] as const

type Step = (typeof STEPS)[number]

export type Ramp = Readonly<Record<Step, string>>

/** OKLCH lightness of each step, and how much of the chroma it has: tints and shades with all of it look dirty. */
const LIGHTNESS = [0.975, 0.945, 0.89, 0.815, 0.72, 0.635, 0.55, 0.47, 0.395, 0.315, 0.225]
const SHARE = [0.12, 0.24, 0.44, 0.7, 0.92, 1, 1, 0.94, 0.82, 0.66, 0.5]

/** Of a colour's greatest chroma (OKLCH: 0 is grey, about 0.37 the most of sRGB) and its hue in degrees; hex of sRGB. */
export function rampOf(chroma: number, hue: number): Ramp {
  const colours = STEPS.map((step, at) => [step, hexOf(LIGHTNESS[at] ?? 0, chroma * (SHARE[at] ?? 0), hue)])
  return Object.fromEntries(colours)
}
