/** UTF-8 bytes of JSON that a result may carry. The contract (section 4) has what is larger in a file. */
export const MAX_MESSAGE_BYTES = 256 * 1024

/** Whether JSON text fits a result. */
export const fits = (output: string): boolean => Buffer.byteLength(output) <= MAX_MESSAGE_BYTES

/** Bytes that the outputs in one message may have together; what is beyond them goes in files. A message is held whole. */
export const mostInline = (maxBatch: number): number => Math.min(maxBatch, 32) * MAX_MESSAGE_BYTES
