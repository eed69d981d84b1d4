import type { Label } from './result.ts'

/** The cut that the authors of VADER give for three classes. */
const CUT = 0.05

/** What a compound score says. */
export const labelOf = (compound: number): Label =>
  compound >= CUT ? 'positive' : compound <= -CUT ? 'negative' : 'neutral'
