/** Inputs that are a JSON list of numbers. */
import type { Preprocess } from './manifest.ts'
import { InputInvalid, parseJson } from './tensors.ts'

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
