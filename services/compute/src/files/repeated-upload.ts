/** Uploads of an operation that has made its file before. */
import { createHash } from 'node:crypto'

/** The operation of an upload has made a file already. */
export class RepeatedUpload extends Error {
  readonly operation: string
  /** Of the bytes that came now. */
  readonly sha256: string

  constructor(operation: string, sha256: string) {
    super(`${operation} has made a file`)
    this.operation = operation
    this.sha256 = sha256
  }
}

/** SHA-256 in hexadecimal of bytes that are not stored. */
export async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of bytes) digest.update(chunk)
  return digest.digest('hex')
}
