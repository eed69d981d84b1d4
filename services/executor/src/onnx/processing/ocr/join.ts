/** Pieces of one line, which the detection sometimes parts between words, joined again. */
import { rectangleAround } from './rectangle.ts'
import { corners, type Region } from './region.ts'

/** Heights of pieces of one line differ by less. */
const LIKE_HEIGHT = 1.5

/** Joins neighbours of a row (from left to right) that overlap: what both cover would be read twice. */
export function joinOverlapping<T extends Region>(row: readonly T[]): T[] {
  const joined: T[] = []
  for (const piece of row) {
    const before = joined.at(-1)
    if (before && overlap(before, piece)) joined.splice(-1, 1, union(before, piece))
    else joined.push(piece)
  }
  return joined
}

function overlap(left: Region, right: Region): boolean {
  const [ux, uy] = left.u
  const [dx, dy] = [right.center[0] - left.center[0], right.center[1] - left.center[1]]
  const along = dx * ux + dy * uy
  const down = Math.abs(dy * ux - dx * uy)
  const like = Math.max(left.height, right.height) < LIKE_HEIGHT * Math.min(left.height, right.height)
  return like && along < (left.width + right.width) / 2 && down < Math.min(left.height, right.height) / 2
}

function union<T extends Region>(left: T, right: T): T {
  const { u } = left.width > right.width ? left : right
  return { ...left, ...rectangleAround([...corners(left), ...corners(right)], u) }
}
