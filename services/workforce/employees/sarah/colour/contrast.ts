import { type Color, wcagContrast } from 'culori'

/** WCAG 2.2, 1.4.3, level AA: what text needs at any size. */
export const READABLE = 4.5

/** WCAG 2.2, 1.4.11, level AA: what has to be seen and is no text. */
export const SEEN = 3

/** WCAG 2's contrast ratio, 1 to 21. */
export const contrast = (a: string | Color, b: string | Color): number => wcagContrast(a, b)

/** The first of `candidates` that can be read on all `grounds`; black or white where none can and one of those does. */
export function readableOn(grounds: readonly string[], candidates: readonly string[]): string {
  const worst = (ink: string) => Math.min(...grounds.map(ground => contrast(ink, ground)))
  const found = [...candidates, '#ffffff', '#000000'].find(ink => worst(ink) >= READABLE)
  return found ?? (worst('#ffffff') > worst('#000000') ? '#ffffff' : '#000000')
}
