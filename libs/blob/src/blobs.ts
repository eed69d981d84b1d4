/** Contents too large for a document: the port behind which the filesystem and GridFS stand. */
import type { Readable } from 'node:stream'

export interface BlobInfo {
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

export interface PutOptions {
  /** No limit by default. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

/** Both ends are included, and `end` is cut at the contents' end: `Infinity` asks for all that follows. */
export interface BlobRange {
  /** Bytes, from 0. */
  readonly start: number
  readonly end: number
}

export interface Blobs {
  /**
   * Stores what the stream holds under the key, durably, whole or not at all, replacing what was there. Keys are
   * `/`-separated words of `[a-zA-Z0-9_.-]`, up to 200 characters each and 512 in all, but not `.` or `..`; other keys
   * make every method but `list` reject with `InvalidBlobKey`. Never holds the contents in memory. Rejects with
   * `BlobTooLarge` beyond `maxBytes`, with the stream's own error when it breaks, and with the signal's reason; then
   * nothing is stored and what was there stays. A stream that was not read to its end is left to its owner, undestroyed
   * and without listeners. Of puts of one key at once each resolves with its own contents' size and hash, and one stays.
   */
  put(key: string, content: Readable | Uint8Array, options?: PutOptions): Promise<BlobInfo>

  /**
   * The contents, or a range of them; undefined when there are none. A put or delete meanwhile does not change what a
   * stream gives that was got before. Rejects with `RangeError` for what is no range, whatever there is, and with
   * `BlobRangeNotSatisfiable` for a range that begins at the contents' end or beyond: of empty contents, every range.
   */
  get(key: string, range?: BlobRange): Promise<Readable | undefined>

  /** Removes the contents, durably; nothing happens when there are none. */
  delete(key: string): Promise<void>

  /** Keys that begin with the prefix, in any order, with the time of their last write (ms since 1970), for sweepers. */
  list(prefix: string): AsyncIterable<{ readonly key: string; readonly writtenAt: number }>
}

/** With the name of a folder of usual length it is a path that every system takes: macOS ends at 1,024 bytes. */
const MAX_KEY = 512

export function isBlobKey(key: string): boolean {
  const words = key.split('/')
  return (
    key.length <= MAX_KEY && words.every(word => /^[a-zA-Z0-9_.-]{1,200}$/.test(word) && word !== '.' && word !== '..')
  )
}

/** Throws `InvalidBlobKey` for what is not a key. */
export function checkBlobKey(key: string): void {
  if (!isBlobKey(key)) throw new InvalidBlobKey(key)
}

/** Throws `RangeError` for what is not a range of any contents. */
export function checkBlobRange({ start, end }: BlobRange): void {
  const isEnd = Number.isSafeInteger(end) || end === Number.POSITIVE_INFINITY
  if (!(Number.isSafeInteger(start) && isEnd && start >= 0 && end >= start)) {
    throw new RangeError(`not a range: ${start} to ${end}`)
  }
}

/** The range, cut at the end of contents of `size` bytes. Throws `BlobRangeNotSatisfiable` when it begins there or beyond. */
export function cutBlobRange({ start, end }: BlobRange, size: number): BlobRange {
  if (start >= size) throw new BlobRangeNotSatisfiable(size)
  return { start, end: Math.min(end, size - 1) }
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

/** The range begins at the contents' end or beyond: 416 of HTTP (RFC 9110, section 15.5.17), which tells the size. */
export class BlobRangeNotSatisfiable extends Error {
  /** Bytes of the contents. */
  readonly size: number
  constructor(size: number) {
    super(`the range begins beyond the contents, which have ${size} bytes`)
    this.name = 'BlobRangeNotSatisfiable'
    this.size = size
  }
}
