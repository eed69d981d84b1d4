/** A line that is longer than the recognition can read at once, in parts. */
import type { Pixels } from '../picture.ts'
import { cropInto, widthAt } from './crop.ts'
import type { Region } from './region.ts'

export interface Part extends Region {
  /** Whether there is a space before it. */
  readonly beginsWord: boolean
}

/** Of a line's width to its height: of a longer one, the network loses letters. */
const MAX_RATIO = 60
/** Lines are looked at in this height. */
const HEIGHT = 16
/** Columns on each side that count for the ink at a place; a gap between letters is narrower than twice as many. */
const REACH = 2
/** Of the ink of an average place: a place with less is between words. */
const EMPTY = 0.1

/** The line itself, unless it is too long; then parts that are cut where there is least ink, in the order in which they are read. */
export function partsOf(picture: Pixels, line: Region): Part[] {
  const columns = widthAt(HEIGHT, line)
  const most = MAX_RATIO * HEIGHT
  if (columns <= most) return [{ ...line, beginsWord: false }]
  const ink = inkOf(picture, line, columns)
  const mean = ink.reduce((sum, value) => sum + value, 0) / columns
  const cuts = [0]
  for (let last = 0; columns - last > most; cuts.push(last)) last = leastIn(ink, last + most / 2, last + most)
  const step = line.width / columns
  return cuts.map((from, index) => {
    const to = cuts[index + 1] ?? columns
    const along = ((from + to) / 2) * step - line.width / 2
    const center = [line.center[0] + along * line.u[0], line.center[1] + along * line.u[1]] as const
    return { ...line, center, width: (to - from) * step, beginsWord: (ink[from] as number) < EMPTY * mean }
  })
}

/** How much each column and those beside it differ from top to bottom. */
function inkOf(picture: Pixels, line: Region, columns: number): Float32Array {
  const pixels = new Float32Array(3 * HEIGHT * columns)
  cropInto(pixels, 0, columns, picture, line, columns, HEIGHT)
  const own = new Float32Array(columns)
  for (let column = 0; column < columns; column++) {
    let [least, most] = [Infinity, -Infinity]
    for (let row = 0; row < 3 * HEIGHT; row++) {
      const value = pixels[row * columns + column] as number
      least = Math.min(least, value)
      most = Math.max(most, value)
    }
    own[column] = most - least
  }
  return own.map((_, column) =>
    own.subarray(Math.max(0, column - REACH), column + REACH + 1).reduce((a, b) => a + b, 0),
  )
}

/** Of equal places the last. */
function leastIn(ink: Float32Array, from: number, to: number): number {
  let best = from
  for (let column = from; column < to; column++) if ((ink[column] as number) <= (ink[best] as number)) best = column
  return best
}
