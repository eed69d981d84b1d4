/** How much one item may give back. */
import type { ElementArray, Tensor } from '@millhand/model'

/** UTF-8 bytes of JSON. The contract (section 4) has what is larger in a file. */
export const MAX_OUTPUT_BYTES = 256 * 1024

export class OutputTooLarge extends Error {
  constructor() {
    super(
      `the output is over ${MAX_OUTPUT_BYTES} bytes of JSON; larger outputs need output files, which are not available yet`,
    )
    this.name = 'OutputTooLarge'
  }
}

/** Whether JSON text is within the bound. */
export const fits = (output: string): boolean => Buffer.byteLength(output) <= MAX_OUTPUT_BYTES

/**
 * Throws `OutputTooLarge` when the tensors are over the bound whatever their elements are. Asked before they are written
 * as text: a model may give hundreds of megabytes, and their text is larger still.
 */
export function checkWritable(tensors: Iterable<Tensor>, base64: boolean): void {
  let bytes = 0
  for (const tensor of tensors) bytes += leastBytes(tensor, base64)
  if (bytes > MAX_OUTPUT_BYTES) throw new OutputTooLarge()
}

/** What the data alone takes at the least: a digit or a pair of quotes each, commas between them, brackets. */
function leastBytes({ dtype, data }: Tensor, base64: boolean): number {
  if (dtype === 'string') return (data as string[]).reduce((sum, text) => sum + text.length + 3, 1)
  return base64 ? Math.ceil((data as ElementArray).byteLength / 3) * 4 : data.length * 2 + 1
}
