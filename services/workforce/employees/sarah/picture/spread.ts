import type { Pixels } from './pixels.ts'

/** Below it a picture is of one colour to the eye: a step or two of 256 is what a codec leaves of a flat one. */
export const LEAST_SPREAD = 4

/** How far apart light and dark are: the standard deviation of luma (ITU-R BT.709), 0 to 127.5. */
export function spreadOf({ data }: Pixels): number {
  let [sum, squares, count] = [0, 0, 0]
  for (let at = 0; at < data.length; at += 4) {
    const luma = 0.2126 * (data[at] ?? 0) + 0.7152 * (data[at + 1] ?? 0) + 0.0722 * (data[at + 2] ?? 0)
    sum += luma
    squares += luma * luma
    count++
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2))
}
