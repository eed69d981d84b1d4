/** Inputs as the tensors of a model, by the manifest's `preprocess`. */

import { readFile } from 'node:fs/promises'
import type { RunItem } from '@millhand/child-process'
import {
  checkTensors,
  type Dtype,
  type Elements,
  elements,
  InputInvalid,
  type NamedTensors,
  type NumbersPreprocess,
  numberAs,
  type Preprocess,
  preprocessedShape,
  readNumbers,
  readTensorFile,
  readTensors,
  type Tensor,
  type TensorSpec,
  withoutMark,
} from '@millhand/model'
import { textOf } from './input.ts'

/** Text at once, so that inputs of a shared run cost no turn of the event loop each. */
export type Read = (input: RunItem['input']) => NamedTensors | Promise<NamedTensors>

/** Reads texts into one tensor, a row each. */
export interface RowReader {
  readonly name: string
  readonly dtype: Dtype
  /** Of a row, without the first axis. */
  readonly shape: readonly number[]
  /** Elements of a row. */
  readonly size: number
  /** Reads a text into the row that begins at an element. Throws `InputInvalid`; the row is to be written again then. */
  readInto(text: string, elements: Elements, from: number): void
}

/** What reads texts that are lists of numbers into rows; undefined for a model that takes other inputs. */
export function rowReader(preprocess: Preprocess, [spec]: readonly TensorSpec[]): RowReader | undefined {
  if (preprocess.name !== 'numbers' || !spec) return undefined
  const { name, dtype } = spec
  const [, ...shape] = preprocessedShape(preprocess, spec)
  return {
    name,
    dtype,
    shape,
    size: preprocess.count,
    readInto(text, into, from) {
      if (dtype === 'float32' && scanDigits(text, preprocess, into as Float32Array, from)) return
      scaleInto(dtype, readNumbers(text, preprocess), preprocess.scale, into, from)
    },
  }
}

/**
 * What reads an input of the model in a file; it throws or rejects with `InputInvalid`. That the model takes such tensors is checked before:
 * `processingFault`.
 */
export async function reader(preprocess: Preprocess, inputs: readonly TensorSpec[], modelFile: string): Promise<Read> {
  if (preprocess.name === 'tensors') {
    const checked = (named: NamedTensors) => {
      checkTensors(inputs, named)
      return named
    }
    return input => {
      return typeof input === 'string' ? checked(readTensors(input)) : readTensorFile(input.path).then(checked)
    }
  }
  if (preprocess.name === 'tokens') {
    const { tokensReader } = await import('./tokens.ts')
    const read = tokensReader(await readFile(modelFile), inputs)
    return fromText(text => ({ tensors: read(text), base64: false }))
  }
  const [spec] = inputs as [TensorSpec]
  const { name, dtype } = spec
  const shape = preprocessedShape(preprocess, spec)
  const one = (tensor: Tensor): NamedTensors => ({ tensors: new Map([[name, tensor]]), base64: false })
  switch (preprocess.name) {
    case 'text':
      return fromText(text => one({ dtype, shape, data: [text] }))
    case 'numbers':
      return fromText(text => {
        const data = elements(dtype, preprocess.count)
        scaleInto(dtype, readNumbers(text, preprocess), preprocess.scale, data, 0)
        return one({ dtype, shape, data })
      })
    case 'image': {
      const { pictureReader } = await import('./picture-tensor.ts')
      const read = pictureReader(preprocess, dtype)
      return async input => one({ dtype, shape, data: await read(input) })
    }
  }
}

const fromText =
  (read: (text: string) => NamedTensors): Read =>
  input =>
    typeof input === 'string' ? read(withoutMark(input)) : textOf(input).then(read)

function scaleInto(dtype: Dtype, numbers: readonly number[], scale: number, into: Elements, from: number): void {
  for (let index = 0; index < numbers.length; index++) {
    const value = (numbers[index] as number) * scale
    const element = numberAs(dtype as Exclude<Dtype, 'string'>, value)
    if (element === undefined) {
      throw new InputInvalid(`number ${index} of the input becomes ${value} by its scale, which is no ${dtype}`)
    }
    ;(into as unknown[])[from + index] = element
  }
}

/**
 * Reads a list of integers without signs or spaces, as most lists of pixels and counts are, without a list of numbers in
 * between: over many lines three times as fast as JSON.parse. False for any other text, and for numbers out of bounds.
 */
function scanDigits(text: string, { count, min, max, scale }: NumbersPreprocess, into: Float32Array, from: number) {
  if (text.charCodeAt(0) !== OPEN) return false
  let begin = 1
  let index = 0
  let value = 0
  for (let at = 1; at < text.length; at++) {
    const character = text.charCodeAt(at)
    const digits = at - begin
    if (character >= ZERO && character <= NINE) {
      value = value * 10 + character - ZERO
      // A zero before other digits is not JSON; of longer numbers the sum would be rounded.
      if (digits > 0 && (digits > MOST_DIGITS || text.charCodeAt(begin) === ZERO)) return false
      continue
    }
    if (digits === 0 || index === count || value < min || value > max) return false
    into[from + index] = value * scale
    if (into[from + index++] === Infinity) return false
    if (character === CLOSE) return at === text.length - 1 && index === count
    if (character !== COMMA) return false
    begin = at + 1
    value = 0
  }
  return false
}

const MOST_DIGITS = 14
const [OPEN, CLOSE, COMMA, ZERO, NINE] = [0x5b, 0x5d, 0x2c, 0x30, 0x39]
