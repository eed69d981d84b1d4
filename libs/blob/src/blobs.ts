/** Contents too large for a document: the port behind which the filesystem and GridFS stand. */
import type { Readable } from 'node:stream'

export interface BlobInfo {
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

export interface Blobs {
  /**
   * Stores what the stream holds under the key, durably, whole or not at all, replacing what was there. Keys are
   * `/`-separated words of `[a-zA-Z0-9_.-]`. Never holds the contents in memory. Rejects with `BlobTooLarge` beyond
   * `maxBytes`, and with the stream's own error when it breaks; then nothing is stored.
   */
  put(key: string, content: Readable | Uint8Array, options?: { readonly maxBytes?: number; readonly signal?: AbortSignal }): Promise<BlobInfo>

  /** The contents, or bytes `start` to `end` (both inclusive) of it; undefined when there is none. */
  get(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable | undefined>

  /** Removes the contents; nothing happens when there are none. */
  delete(key: string): Promise<void>

  /** Keys that begin with the prefix, in any order, with the time of their last write (ms since 1970), for sweepers. */
  list(prefix: string): AsyncIterable<{ readonly key: string; readonly writtenAt: number }>
}

export class BlobTooLarge extends Error {
  readonly maxBytes: number
  constructor(maxBytes: number) {
    super(`the contents are larger than ${maxBytes} bytes`)
    this.name = 'BlobTooLarge'
    this.maxBytes = maxBytes
  }
}
