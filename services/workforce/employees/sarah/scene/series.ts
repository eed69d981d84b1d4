/** The colours of what a chart tells apart: each seen on its ground, and none like another. */
import { differenceEuclidean } from 'culori'
import { hexOf, lch } from '../colour/colour.ts'
import { contrast, SEEN } from '../colour/contrast.ts'

/** So many series a chart may have, by its schema. */
export const MOST_SERIES = 4

/** In OKLab: nearer ones look alike where they do not touch. */
export const APART = 0.08

/** As many as a chart may have. First come the `wished` that can be seen and are apart; then others of their hues, each the farthest from those before. */
export function seriesOn(ground: string, wished: readonly string[]): readonly string[] {
  const isSeen = (colour: string) => contrast(colour, ground) >= SEEN
  const chosen: string[] = []
  for (const colour of wished)
    if (chosen.length < MOST_SERIES && isSeen(colour) && nearest(colour, chosen) >= APART) chosen.push(colour)
  const others = chosen.length < MOST_SERIES ? wished.flatMap(inAllLightnesses).filter(isSeen) : []
  while (chosen.length < MOST_SERIES && others.length > 0) {
    const distances = others.map(colour => nearest(colour, chosen))
    chosen.push(others[distances.indexOf(Math.max(...distances))] as string)
  }
  return chosen
}

const distance = differenceEuclidean('oklab')

const nearest = (colour: string, others: readonly string[]): number =>
  Math.min(...others.map(other => distance(colour, other)))

/** From black to white, as a colour of the same hue and chroma. */
function inAllLightnesses(colour: string): string[] {
  const { c, h } = lch(colour)
  return Array.from({ length: 41 }, (_, at) => hexOf(at / 40, c, h))
}
