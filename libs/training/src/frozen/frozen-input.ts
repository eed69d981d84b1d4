/** The input of an example for a frozen base. */
import { ExamplesInvalid } from '../run/example-set.ts'
import type { InputReader } from '../run/input-elements.ts'

/** A text, or a picture as a `data:` URI, of the fields beside the target. Throws `ExamplesInvalid`. */
export function frozenInput({ input, ...others }: Readonly<Record<string, unknown>>, line: number): string {
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new ExamplesInvalid('is not known; an example has `input` and `label`', { line, column: other })
  const where = { line, column: 'input' }
  if (input === undefined || input === null) throw new ExamplesInvalid('is missing', where)
  if (typeof input !== 'string') throw new ExamplesInvalid('must be a text', where)
  return input
}

/** Checks the inputs of examples, and computes no features of them. */
export const frozenInputs: InputReader = {
  add: (fields, { line }) => void frozenInput(fields, line),
  tensors: () => new Map(),
}
