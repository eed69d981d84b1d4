import { InputInvalid } from './tensors.ts'

/** Bytes as text, without a byte order mark. Throws `InputInvalid`. */
export function readUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InputInvalid('the file is not UTF-8 text')
  }
}
