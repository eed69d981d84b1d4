/** How much one item may give back. */

import type { ItemResult } from '@millhand/child-process'
import { type ElementArray, npyBytes, type Tensor } from '@millhand/model'

/** Bytes of an output that is in a file, UTF-8 where it is JSON: docs/decisions/files.md, "In tasks". */
export const MAX_OUTPUT_BYTES = 64 * 2 ** 20

/** What the outputs of one run that are in files may have together, as its inputs: docs/decisions/files.md. */
export const MOST_FILES_BYTES = 2 ** 30

export class OutputTooLarge extends Error {
  constructor(most = MAX_OUTPUT_BYTES) {
    super(`the output is over ${most.toLocaleString('en')} bytes`)
    this.name = 'OutputTooLarge'
  }
}

/** The parts as one text. Throws `OutputTooLarge` as soon as they are beyond the bound, and asks for no more. */
export function boundedText(parts: Iterable<string>): string {
  const taken: string[] = []
  let bytes = 0
  for (const part of parts) {
    bytes += Buffer.byteLength(part)
    if (bytes > MAX_OUTPUT_BYTES) throw new OutputTooLarge()
    taken.push(part)
  }
  return taken.join('')
}

/**
 * Throws `OutputTooLarge` when the tensors are over the bound whatever their elements are. Asked before they are written
 * as text: a model may give hundreds of megabytes, and their text is larger still.
 */
export function checkWritable(tensors: Iterable<Tensor>, base64: boolean | 'binary'): void {
  let bytes = 0
  for (const tensor of tensors) bytes += base64 === 'binary' ? npyBytes(tensor) : leastBytes(tensor, base64)
  if (bytes > MAX_OUTPUT_BYTES) throw new OutputTooLarge()
}

/** What the data alone takes at the least: a digit or a pair of quotes each, commas between them, brackets. */
function leastBytes({ dtype, data }: Tensor, base64: boolean): number {
  if (dtype === 'string') return (data as string[]).reduce((sum, text) => sum + text.length + 3, 1)
  return base64 ? Math.ceil((data as ElementArray).byteLength / 3) * 4 : data.length * 2 + 1
}

/** Again, the run may have others beside it. */
export const noRoom: ItemResult = {
  ok: false,
  code: 'model_failed',
  message: 'The outputs of the tasks that ran together are larger than there is room for.',
  retryable: true,
}
