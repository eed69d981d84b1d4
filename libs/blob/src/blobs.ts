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
   * `/`-separated words of `[a-zA-Z0-9_.-]`, up to 200 characters each, but not `.` or `..`; other keys make every
   * method reject with `InvalidBlobKey`. Never holds the contents in memory. Rejects with `BlobTooLarge` beyond
   * `maxBytes`, with the stream's own error when it breaks, and with the signal's reason; then nothing is stored and
   * what was there stays. A stream that was not read to its end is left to its owner, undestroyed.
   */
  put(
    key: string,
    content: Readable | Uint8Array,
    options?: { readonly maxBytes?: number; readonly signal?: AbortSignal },
  ): Promise<BlobInfo>

  /**
   * The contents, or bytes `start` to `end` (both inclusive, cut at the contents' end) of it; undefined when there is
   * none. A put or delete meanwhile does not change what a stream gives that was got before.
   */
  get(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable | undefined>

  /** Removes the contents; nothing happens when there are none. */
  delete(key: string): Promise<void>

  /** Keys that begin with the prefix, in any order, with the time of their last write (ms since 1970), for sweepers. */
  list(prefix: string): AsyncIterable<{ readonly key: string; readonly writtenAt: number }>
}

/** Throws `InvalidBlobKey` for what is not a key. */
export function checkBlobKey(key: string): void {
  if (!key.split('/').every(word => /^[a-zA-Z0-9_.-]{1,200}$/.test(word) && word !== '.' && word !== '..')) {
    throw new InvalidBlobKey(key)
  }
}

export class InvalidBlobKey extends Error {
  constructor(key: string) {
    super(`not a key of a blob: ${JSON.stringify(key.slice(0, 300))}`)
    this.name = 'InvalidBlobKey'
  }
}

export class BlobTooLarge extends Error {
  readonly maxBytes: number
  constructor(maxBytes: number) {
    super(`the contents are larger than ${maxBytes} bytes`)
    this.name = 'BlobTooLarge'
    this.maxBytes = maxBytes
  }
}
