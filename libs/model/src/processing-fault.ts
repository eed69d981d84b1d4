/** Whether a model can be given what its manifest's processing makes, and gives what that needs. */
import type { Manifest, Preprocess, TensorSpec } from './manifest.ts'

interface ProcessingFault {
  readonly field: 'preprocess' | 'postprocess'
  readonly message: string
}

/** What is wrong, and the field of the manifest that says it; undefined where nothing is. */
export function processingFault(
  { processing }: Pick<Manifest, 'processing'>,
  inputs: readonly TensorSpec[],
  outputs: readonly TensorSpec[],
): ProcessingFault | undefined {
  if (processing.kind !== 'single') return undefined
  const message = inputFault(processing.preprocess, inputs)
  if (message !== undefined) return { field: 'preprocess', message: `\`preprocess\` ${message}` }
  if (processing.postprocess.name !== 'classify') return undefined
  const scores = scoresOf(outputs)
  const fault =
    scores === undefined
      ? 'needs a model with an output of floats'
      : isOneRow(scores.shape)
        ? undefined
        : `needs one row of scores; this model gives the shape [${scores.shape}]`
  return fault === undefined ? undefined : { field: 'postprocess', message: `\`postprocess\` classify ${fault}` }
}

/** The output that has the scores of a classifier. */
export const scoresOf = <T extends Pick<TensorSpec, 'dtype'>>(outputs: Iterable<T>): T | undefined =>
  [...outputs].find(({ dtype }) => dtype.startsWith('float'))

/** Whether scores of this shape are those of one input: the first axis counts inputs, and one of the others scores. */
export function isOneRow(shape: readonly number[]): boolean {
  const [rows = 1, ...others] = shape
  return shape.length < 2 || (rows <= 1 && others.filter(length => length > 1).length <= 1)
}

function inputFault(preprocess: Preprocess, inputs: readonly TensorSpec[]): string | undefined {
  const { name } = preprocess
  if (name === 'tensors') return undefined
  if (name === 'tokens') return encoderFault(inputs)
  const [input] = inputs
  if (!input || inputs.length > 1) return `${name} needs a model with one input; this one has ${inputs.length}`
  const { dtype, shape } = input
  if (!goesWith(preprocess, input)) return `${name} does not go with an input of ${dtype}`
  const made = shapeOf(preprocess, input)
  // A file that gives no shape is read as rank 0: then any will do.
  const fits = made.length === shape.length && shape.every((length, axis) => length === -1 || length === made[axis])
  if (fits || shape.length === 0) return undefined
  return `${name} makes a tensor of the shape [${made}], and the model takes [${shape}] (-1: any)`
}

function encoderFault(inputs: readonly TensorSpec[]): string | undefined {
  const names = inputs.map(({ name }) => name)
  const fits = inputs.every(
    ({ name, dtype, shape }) => ENCODER_INPUTS.includes(name) && dtype === 'int64' && shape.length === 2,
  )
  if (fits && names.includes('input_ids') && names.includes('attention_mask')) return undefined
  return `tokens needs a model with the inputs ${ENCODER_INPUTS.slice(0, 2).join(', ')} and perhaps ${ENCODER_INPUTS[2]}, of int64 and two axes`
}

const ENCODER_INPUTS: readonly string[] = ['input_ids', 'attention_mask', 'token_type_ids']

function goesWith({ name }: Preprocess, { dtype }: TensorSpec): boolean {
  switch (name) {
    case 'tensors':
      return true
    case 'tokens':
      return dtype === 'int64'
    case 'text':
      return dtype === 'string'
    case 'numbers':
      return dtype !== 'string'
    case 'image':
      return dtype === 'uint8' || dtype.startsWith('float')
  }
}

/** The shape of the tensor that is made of one input for a model with this one. */
export function shapeOf(preprocess: Preprocess, input: TensorSpec): readonly number[] {
  switch (preprocess.name) {
    case 'tensors':
    case 'tokens':
      return input.shape
    case 'text':
      return input.shape.length === 2 ? [1, 1] : [1]
    case 'numbers':
      return [1, ...preprocess.shape]
    case 'image': {
      const { width, height, channels, layout } = preprocess
      const depth = channels === 'gray' ? 1 : 3
      return layout === 'nchw' ? [1, depth, height, width] : [1, height, width, depth]
    }
  }
}
