/** UTF-8 bytes of JSON that a result may carry. The contract (section 4) has what is larger in a file. */
export const MAX_MESSAGE_BYTES = 256 * 1024

/** Whether JSON text fits a result. */
export const fits = (output: string): boolean => Buffer.byteLength(output) <= MAX_MESSAGE_BYTES
