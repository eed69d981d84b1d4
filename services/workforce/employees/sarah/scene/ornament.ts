/** Geometry without text that fills a box: whole squares, each with a shape, a turn and two colours by the seed. */
import { element, group, path, rect, type Svg } from '../picture/svg.ts'
import type { Box } from '../type/set.ts'
import type { Theme } from './theme.ts'

/** In a square of 100: what is cut by its edge stays inside it. */
const SHAPES = [
  'M0 0H100A100 100 0 0 1 0 100Z',
  'M0 0A100 100 0 0 1 100 100H0Z',
  'M50 0A50 50 0 0 1 50 100A50 50 0 0 1 50 0Z',
  'M0 50A50 50 0 0 1 100 50V100H0Z',
  'M0 0L100 100H0Z',
  'M0 0H50V100H0Z',
  'M50 18A32 32 0 0 1 50 82A32 32 0 0 1 50 18Z',
  'M0 0A100 100 0 0 0 100 100V62A62 62 0 0 1 38 0Z',
] as const

/** `cells` are how many squares are wanted over the shorter side: one more or one less where that leaves them squarer. */
export function ornament(box: Box, cells: number, theme: Theme, salt = 1): Svg {
  const { columns, rows } = divided(box, cells)
  const [wide, high] = [box.width / columns, box.height / rows]
  const chance = (at: number, of: number) => theme.chance(1000 * salt + 8 * at + of)
  const palette = [...theme.shapes, theme.ground, theme.surface]
  const squares = Array.from({ length: columns * rows }, (_, at) => {
    const [x, y] = [wide * (at % columns), high * Math.floor(at / columns)]
    const behind = pick(chance(at, 0) < 0.45 ? [theme.ground, theme.surface] : palette, chance(at, 1))
    const front = pick(
      theme.shapes.filter(colour => colour !== behind),
      chance(at, 2) ** 1.5,
    )
    const turn = 90 * Math.floor(4 * chance(at, 4))
    return group(
      {
        transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${(wide / 100).toFixed(4)} ${(high / 100).toFixed(4)})`,
      },
      rect({ x: 0, y: 0, width: 100.5, height: 100.5 }, behind),
      path(pick(SHAPES, chance(at, 3)), front, { transform: `rotate(${turn} 50 50)` }),
    )
  })
  // An inner svg cuts what leaves the box.
  return element('svg', { x: box.x, y: box.y, width: box.width, height: box.height, overflow: 'hidden' }, ...squares)
}

/** Whole ones both ways, as near to squares as the sides allow. */
function divided({ width, height }: Box, cells: number): { readonly columns: number; readonly rows: number } {
  const [best = { columns: 1, rows: 1 }] = [cells, cells + 1, cells - 1]
    .filter(count => count > 0)
    .map(count => {
      const side = Math.min(width, height) / count
      const [columns, rows] = [Math.round(width / side), Math.round(height / side)]
      return { columns, rows, off: Math.abs(Math.log((width * rows) / (height * columns))) }
    })
    .toSorted((one, other) => one.off - other.off)
  return best
}

const pick = <T>(all: readonly T[], chance: number): T => all[Math.floor(chance * all.length)] ?? (all[0] as T)
