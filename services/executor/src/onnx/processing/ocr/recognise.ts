/** Reads the letters of lines. */
import type { Tensor } from '@millhand/model'
import type { Session } from '@millhand/onnxruntime'
import type { Pixels } from '../picture.ts'
import { cropInto, widthAt } from './crop.ts'
import type { Region } from './region.ts'

export interface Reading {
  readonly text: string
  /** Mean of the letters' probabilities, from 0 to 1. */
  readonly confidence: number
}

const HEIGHT = 48
/** Narrower lines are filled up to what the network was trained on. */
const MIN_WIDTH = 320
/** 48 pixels high, this is a line of some 130 letters. */
const MAX_WIDTH = 3200
const LINES_AT_ONCE = 6
/**
 * The network was trained on text with few spaces and seldom prefers one. Summed over the blanks between two letters its
 * probability still tells: measured 0.02 to 0.4 between words, below 0.003 within them.
 */
const SPACE_LIKELY = 0.01

/** Reads lines, those of like width together: each comes as it is read. `alphabet[0]` is the blank of CTC. */
export async function* recognise<T extends Region>(
  session: Session,
  alphabet: readonly string[],
  picture: Pixels,
  regions: readonly T[],
): AsyncGenerator<readonly [T, Reading]> {
  const widths = regions.map(region => Math.min(MAX_WIDTH, widthAt(HEIGHT, region)))
  const order = [...regions.keys()].sort((a, b) => (widths[a] as number) - (widths[b] as number))
  for (let from = 0; from < order.length; from += LINES_AT_ONCE) {
    const group = order.slice(from, from + LINES_AT_ONCE)
    const stride = Math.max(MIN_WIDTH, ...group.map(index => widths[index] as number))
    const size = 3 * HEIGHT * stride
    const lines = new Float32Array(group.length * size)
    for (const [row, index] of group.entries()) {
      cropInto(lines, row * size, stride, picture, regions[index] as Region, widths[index] as number, HEIGHT)
    }
    const shape = [group.length, 3, HEIGHT, stride]
    const [input] = session.inputs
    const outputs = await session.run(new Map([[input?.name ?? 'x', { dtype: 'float32', shape, data: lines }]]))
    const [scores] = outputs.values() as Iterable<Tensor>
    if (!scores) throw new Error('the recognition gave nothing')
    const [, steps = 0, letters = 0] = scores.shape
    for (const [row, index] of group.entries()) {
      const start = row * steps * letters
      const part = (scores.data as Float32Array).subarray(start, start + steps * letters)
      yield [regions[index] as T, decode(part, letters, alphabet)]
    }
  }
}

/**
 * Greedy CTC: the best letter of each step, repeats and blanks left out. The last letter is the space.
 */
export function decode(scores: Float32Array, letters: number, alphabet: readonly string[]): Reading {
  const space = letters - 1
  let text = ''
  let sum = 0
  let count = 0
  let before = 0
  let gap = 0
  for (let start = 0; start < scores.length; start += letters) {
    const best = bestOf(scores, start, letters)
    if (best === 0) gap += scores[start + space] as number
    else if (best !== before) {
      if (gap >= SPACE_LIKELY && best !== space && !text.endsWith(' ')) text += ' '
      text += alphabet[best] ?? ''
      sum += scores[start + best] as number
      count++
      gap = 0
    }
    before = best
  }
  return { text: text.trim(), confidence: count === 0 ? 0 : sum / count }
}

function bestOf(scores: Float32Array, start: number, letters: number): number {
  let best = 0
  for (let letter = 1; letter < letters; letter++) {
    if ((scores[start + letter] as number) > (scores[start + best] as number)) best = letter
  }
  return best
}
