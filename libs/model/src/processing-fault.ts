/** Whether a model can be given what its manifest's processing makes. */
import type { Manifest, TensorSpec } from './manifest.ts'

/** What is wrong, and the field of the manifest that says it; undefined where nothing is. */
export function processingFault(
  { processing }: Pick<Manifest, 'processing'>,
  inputs: readonly TensorSpec[],
): { readonly field: string; readonly message: string } | undefined {
  if (processing.kind !== 'single' || processing.preprocess.name === 'tensors') return undefined
  const { name } = processing.preprocess
  const [input] = inputs
  const field = 'preprocess'
  if (!input || inputs.length > 1) {
    return { field, message: `\`preprocess\` ${name} needs a model with one input; this one has ${inputs.length}` }
  }
  if ((input.dtype === 'string') === (name === 'text')) return undefined
  return { field, message: `\`preprocess\` ${name} does not go with an input of ${input.dtype}` }
}
