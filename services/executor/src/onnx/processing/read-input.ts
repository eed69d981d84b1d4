/** Inputs as the tensors of a model, by the manifest's `preprocess`. */

import type { RunItem } from '@millhand/child-process'
import {
  checkTensors,
  type Dtype,
  elements,
  type NamedTensors,
  type Preprocess,
  readNumbers,
  readTensorFile,
  readTensors,
  type Tensor,
  type TensorSpec,
} from '@millhand/model'
import { textOf } from './input.ts'

/** Text at once, so that inputs of a shared run cost no turn of the event loop each. */
export type Read = (input: RunItem['input']) => NamedTensors | Promise<NamedTensors>

/** What reads an input; it throws or rejects with `InputInvalid`. Rejects when the model does not take such tensors. */
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
  const [spec] = inputs
  if (!spec || inputs.length > 1) throw new Error(`preprocess ${preprocess.name} needs a model with one input`)
  const { name, dtype } = spec
  if ((dtype === 'string') !== (preprocess.name === 'text')) {
    throw new Error(`preprocess ${preprocess.name} does not go with an input of ${dtype}`)
  }
  const one = (tensor: Tensor): NamedTensors => ({ tensors: new Map([[name, tensor]]), base64: false })
  switch (preprocess.name) {
    case 'text':
      return fromText(text => one({ dtype, shape: spec.shape.length === 2 ? [1, 1] : [1], data: [text] }))
    case 'numbers': {
      const shape = [1, ...preprocess.shape]
      return fromText(text => {
        return one({ dtype, shape, data: scaled(dtype, readNumbers(text, preprocess), preprocess.scale) })
      })
    }
    case 'image': {
      const { pictureReader } = await import('./picture-tensor.ts')
      const read = pictureReader(preprocess, dtype)
      return async input => one(await read(input))
    }
  }
}

const fromText =
  (read: (text: string) => NamedTensors): Read =>
  input =>
    typeof input === 'string' ? read(input) : textOf(input).then(read)

function scaled(dtype: Dtype, numbers: readonly number[], scale: number): Tensor['data'] {
  const into = elements(dtype, numbers.length)
  const wide = dtype === 'int64' || dtype === 'uint64'
  for (let index = 0; index < numbers.length; index++) {
    const value = (numbers[index] as number) * scale
    ;(into as unknown[])[index] = wide ? BigInt(Math.round(value)) : value
  }
  return into
}
