/** Whether an input can be what a model needs, as far as its manifest tells, cheaply: asked for every task created. */

import type { ModelPackage } from './catalogue.ts'
import { checkBytesUri, checkDataUri } from './data-uri.ts'
import { excerpt } from './excerpt.ts'
import type { Preprocess, TensorSpec } from './manifest.ts'
import { readMessages } from './messages.ts'
import { InputInvalid, parseJson, readTensors, type Tensor } from './tensors.ts'
import { readTexts } from './texts.ts'
import { withoutMark } from './utf8.ts'

/** Beyond this JSON is read only where the model runs, so that no create holds up the others. */
export const MAX_PARSED_CHARACTERS = 32 * 2 ** 10

/** Why the input cannot fit the model; undefined when it can. The runner checks again, and wholly. */
export function checkInput(model: ModelPackage, input: string): string | undefined {
  try {
    check(model, input)
    return undefined
  } catch (error) {
    if (error instanceof InputInvalid) return error.message
    throw error
  }
}

function check({ manifest, inputs }: ModelPackage, source: string): void {
  const { processing, inputFormat } = manifest
  const input = withoutMark(source)
  if (input === '') throw new InputInvalid('the input is empty')
  if (inputFormat === 'image' || inputFormat === 'audio') checkDataUri(input, inputFormat)
  if (inputFormat === 'bytes') checkBytesUri(input)
  if (input.length > MAX_PARSED_CHARACTERS) return
  if (processing.kind === 'embedding') readTexts(input)
  if (processing.kind === 'text_generation' && inputFormat === 'json') readMessages(input)
  if (processing.kind !== 'single') return
  const { preprocess } = processing
  if (preprocess.name === 'numbers') readNumbers(input, preprocess)
  if (preprocess.name === 'tensors') checkTensors(inputs, readTensors(input))
}

/** Checks tensors against a model's inputs; an empty list of those means that they are not known. Throws `InputInvalid`. */
export function checkTensors(
  inputs: readonly TensorSpec[],
  { tensors }: { readonly tensors: ReadonlyMap<string, Pick<Tensor, 'dtype' | 'shape'>> },
): void {
  if (inputs.length === 0) return
  const names = excerpt(inputs.map(({ name }) => `\`${excerpt(name)}\``).join(', '), 256)
  for (const name of tensors.keys()) {
    if (!inputs.some(input => input.name === name)) {
      throw new InputInvalid(`the model has no input \`${excerpt(name)}\`; it has ${names}`)
    }
  }
  for (const { name, dtype, shape } of inputs) {
    const tensor = tensors.get(name)
    const shown = `tensor \`${excerpt(name)}\``
    if (!tensor) throw new InputInvalid(`the ${shown} is missing; the model needs ${names}`)
    if (tensor.dtype !== dtype) throw new InputInvalid(`${shown} must be ${dtype}, not ${tensor.dtype}`)
    // A file that gives no shape is read as rank 0: then any will do.
    const fits = shape.length === tensor.shape.length && shape.every((n, axis) => n === -1 || n === tensor.shape[axis])
    if (!fits && shape.length > 0) {
      throw new InputInvalid(
        `${shown} must have shape [${excerpt(`${shape}`)}] (-1: any), not [${excerpt(`${tensor.shape}`)}]`,
      )
    }
  }
}

/** Inputs that are a JSON list of numbers. */
export type NumbersPreprocess = Extract<Preprocess, { name: 'numbers' }>

/** The numbers of the input, as many and as large as the model wants them. Throws `InputInvalid`. */
export function readNumbers(text: string, { count, min, max }: NumbersPreprocess): readonly number[] {
  const list = parseJson(text)
  if (!Array.isArray(list) || list.length !== count) {
    const has = Array.isArray(list) ? `, not ${list.length}` : ''
    throw new InputInvalid(`the input must be a JSON list of ${count} numbers${has}`)
  }
  for (let index = 0; index < count; index++) {
    const value: unknown = list[index]
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      throw new InputInvalid(`number ${index} of the input must be from ${min} to ${max}`)
    }
  }
  return list
}
