/** Inputs as the tensors of a model, by the manifest's `preprocess`. */

import type { RunItem } from '@millhand/child-process'
import {
  checkTensors,
  type Dtype,
  elements,
  InputInvalid,
  type NamedTensors,
  numberAs,
  type Preprocess,
  preprocessedShape,
  readNumbers,
  readTensorFile,
  readTensors,
  type Tensor,
  type TensorSpec,
} from '@millhand/model'
import { textOf } from './input.ts'

/** Text at once, so that inputs of a shared run cost no turn of the event loop each. */
export type Read = (input: RunItem['input']) => NamedTensors | Promise<NamedTensors>

/**
 * What reads an input; it throws or rejects with `InputInvalid`. That the model takes such tensors is checked before:
 * `processingFault`.
 */
export async function reader(preprocess: Preprocess, inputs: readonly TensorSpec[]): Promise<Read> {
  if (preprocess.name === 'tensors') {
    const checked = (named: NamedTensors) => {
      checkTensors(inputs, named)
      return named
    }
    return input => {
      return typeof input === 'string' ? checked(readTensors(input)) : readTensorFile(input.path).then(checked)
    }
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
        return one({ dtype, shape, data: scaled(dtype, readNumbers(text, preprocess), preprocess.scale) })
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
    typeof input === 'string' ? read(input) : textOf(input).then(read)

function scaled(dtype: Dtype, numbers: readonly number[], scale: number): Tensor['data'] {
  const into = elements(dtype, numbers.length)
  for (let index = 0; index < numbers.length; index++) {
    const value = (numbers[index] as number) * scale
    const element = numberAs(dtype as Exclude<Dtype, 'string'>, value)
    if (element === undefined) {
      throw new InputInvalid(`number ${index} of the input becomes ${value} by its scale, which is no ${dtype}`)
    }
    ;(into as unknown[])[index] = element
  }
  return into
}
