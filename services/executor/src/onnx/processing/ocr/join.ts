/** Pieces of one line, which the detection sometimes parts between words, joined again. */
import { rectangleAround } from './rectangle.ts'
import { corners, type Region } from './region.ts'

/** Heights of pieces of one line differ by less. */
const LIKE_HEIGHT = 1.5

/** Boxes are grown by about a third of their height on each side; pieces closer than this part of it are words of a line. */
const NEAR = 0.15

/** Joins neighbours of a row (from left to right) that touch: a letter at the seam would be read twice. */
export function joinTouching<T extends Region>(row: readonly T[]): T[] {
  const joined: T[] = []
  for (const piece of row) {
    const before = joined.at(-1)
    if (before && touch(before, piece)) joined.splice(-1, 1, union(before, piece))
    else joined.push(piece)
  }
  return joined
}

function touch(left: Region, right: Region): boolean {
  const [ux, uy] = left.u
  const [dx, dy] = [right.center[0] - left.center[0], right.center[1] - left.center[1]]
  const along = dx * ux + dy * uy
  const down = Math.abs(dy * ux - dx * uy)
  const like = Math.max(left.height, right.height) < LIKE_HEIGHT * Math.min(left.height, right.height)
  const height = Math.min(left.height, right.height)
  return like && along < (left.width + right.width) / 2 + NEAR * height && down < height / 2
}

function union<T extends Region>(left: T, right: T): T {
  const { u } = left.width > right.width ? left : right
  return { ...left, ...rectangleAround([...corners(left), ...corners(right)], u) }
}
