/** The mark of a brand: geometry in a square of 96, drawn by the seed. */

import { chances, type Direction } from '../colour/direction.ts'
import { circle, element, group, path, rect, type Svg } from '../picture/svg.ts'
import { fitText, place } from '../type/set.ts'

export interface MarkInk {
  readonly main: string
  readonly second: string
  /** Of a letter on `main`; cut out of it where there is none. */
  readonly letter?: string
}

export function drawMark(
  direction: Direction,
  brief: { readonly name: string; readonly seed: number },
  ink: MarkInk,
): Svg {
  const chance = chances(`mark\n${brief.name}\n${brief.seed}`)
  return marks[direction.mark](chance, ink, brief.name, direction)
}

type Draw = (chance: (at: number) => number, ink: MarkInk, name: string, direction: Direction) => Svg

const marks: Readonly<Record<Direction['mark'], Draw>> = {
  petals(chance, { main, second }) {
    const count = 5 + Math.floor(chance(0) * 4)
    const wide = 13 + 5 * chance(1)
    const petal = `M48 44C${48 - wide} 34 ${48 - wide} 16 48 4C${48 + wide} 16 ${48 + wide} 34 48 44Z`
    const turned = (at: number) => path(petal, main, { transform: `rotate(${((360 * at) / count).toFixed(3)} 48 48)` })
    return group({}, ...Array.from({ length: count }, (_, at) => turned(at)), circle(48, 48, 8, second))
  },
  tiles(chance, { main, second }) {
    const shapes = [
      'M0 0H42A42 42 0 0 1 0 42Z',
      'M42 0V42H0A42 42 0 0 1 42 0Z',
      'M21 0A21 21 0 0 1 21 42A21 21 0 0 1 21 0Z',
      'M0 0H42V42H0Z',
      'M0 0A42 42 0 0 1 42 42H0Z',
    ]
    const lively = Math.floor(chance(9) * 4)
    const tile = (at: number) => {
      const shape = shapes[Math.floor(chance(at) * shapes.length)] ?? ''
      return path(shape, at === lively ? second : main, {
        transform: `translate(${4 + 46 * (at % 2)} ${4 + 46 * Math.floor(at / 2)})`,
      })
    }
    return group({}, tile(0), tile(1), tile(2), tile(3))
  },
  bars(chance, { main, second }) {
    const heights = [0.35 + 0.15 * chance(0), 0.55 + 0.15 * chance(1), 0.95].map(share => 88 * share)
    const bar = (height: number, at: number) =>
      rect({ x: 6 + 30 * at, y: 92 - height, width: 24, height }, at === 2 ? second : main, { rx: 12 })
    return group({}, ...heights.map(bar))
  },
  monogram(chance, { main, letter }, name, { heading }) {
    const initial = [...new Intl.Segmenter('en').segment(name)].find(({ segment }) =>
      /\p{L}|\p{N}/u.test(segment),
    )?.segment
    const set = fitText(
      (initial ?? '•').toUpperCase(),
      { family: heading, weight: 700, size: 62, smallest: 10, leading: 1 },
      { width: 72, height: 72 },
    )
    const { path: drawn } = place(set, { x: 12, y: 12, width: 72, height: 72 }, 'center', 'middle')
    const ground = rounded(chance(0) < 0.5 ? 46 : 18 + 12 * chance(1))
    if (letter === undefined) return path(`${ground}${drawn}`, main, { 'fill-rule': 'evenodd' })
    return group({}, path(ground, main), path(drawn, letter))
  },
}

/** A square of 92 with round corners, a circle where those are 46. */
function rounded(radius: number): string {
  const [r, side] = [radius.toFixed(2), (92 - 2 * radius).toFixed(2)]
  const corner = (x: number, y: number) => `a${r} ${r} 0 0 1 ${x * radius} ${y * radius}`
  return `M${(2 + radius).toFixed(2)} 2h${side}${corner(1, 1)}v${side}${corner(-1, 1)}h-${side}${corner(-1, -1)}v-${side}${corner(1, -1)}Z`
}

/** A mark at a place and a size. */
export const placed = (mark: Svg, x: number, y: number, size: number): Svg =>
  element('g', { transform: `translate(${x} ${y}) scale(${(size / 96).toFixed(4)})` }, mark)
