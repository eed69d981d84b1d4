/** Reads the letters of lines. */
import type { Tensor } from '@millhand/model'
import type { Session } from '@millhand/onnxruntime'
import type { Pixels } from '../picture.ts'
import { cropInto, widthAt } from './crop.ts'
import { type Part, partsOf } from './parts.ts'
import type { Region } from './region.ts'

export interface Reading {
  readonly text: string
  /** Mean of the letters' probabilities, from 0 to 1. */
  readonly confidence: number
}

const HEIGHT = 48
/** Narrower lines are filled up to what the network was trained on. */
const MIN_WIDTH = 320
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
  const lines = regions.map(region => ({ region, parts: partsOf(picture, region), readings: new Map<Part, Reading>() }))
  const parts = lines.flatMap(line => line.parts.map(part => ({ line, part, width: widthAt(HEIGHT, part) })))
  parts.sort((a, b) => a.width - b.width)
  for (let from = 0; from < parts.length; from += LINES_AT_ONCE) {
    const group = parts.slice(from, from + LINES_AT_ONCE)
    const stride = Math.max(MIN_WIDTH, ...group.map(({ width }) => width))
    const size = 3 * HEIGHT * stride
    const data = new Float32Array(group.length * size)
    for (const [row, { part, width }] of group.entries())
      cropInto(data, row * size, stride, picture, part, width, HEIGHT)
    const shape = [group.length, 3, HEIGHT, stride]
    const [input] = session.inputs
    const outputs = await session.run(new Map([[input?.name ?? 'x', { dtype: 'float32', shape, data }]]))
    const [scores] = outputs.values() as Iterable<Tensor>
    if (!scores) throw new Error('the recognition gave nothing')
    const [, steps = 0, letters = 0] = scores.shape
    for (const [row, { line, part }] of group.entries()) {
      const start = row * steps * letters
      const found = (scores.data as Float32Array).subarray(start, start + steps * letters)
      line.readings.set(part, decode(found, letters, alphabet))
      if (line.readings.size === line.parts.length) yield [line.region, whole(line.parts, line.readings)]
    }
  }
}

/** What the parts of a line say together; each letter counts the same for the confidence. */
function whole(parts: readonly Part[], readings: ReadonlyMap<Part, Reading>): Reading {
  let text = ''
  let sum = 0
  let letters = 0
  for (const part of parts) {
    const reading = readings.get(part) as Reading
    text += part.beginsWord && text !== '' ? ` ${reading.text}` : reading.text
    sum += reading.confidence * reading.text.length
    letters += reading.text.length
  }
  return { text: text.trim(), confidence: letters === 0 ? 0 : sum / letters }
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
