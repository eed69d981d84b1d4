/**
 * How far the write-ahead log was synced, kept outside of it. SQLite takes the log's first frame that is broken or
 * missing for its end and says nothing: commits behind it would be lost silently. The mark is written after each sync
 * and before the commits are answered, so a log that ends before it has lost answered commits.
 *
 * The mark itself is not synced: that would double the cost of a commit. It is exact after kill -9. After a loss of
 * power it is what the system had written by then (Linux: at most some 30 s old), never more than what was synced.
 */
import { closeSync, openSync, readFileSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'

/** Where in the log a commit ends. The salts are those of the log's header: they change when it begins anew. */
export interface CommitPosition {
  readonly salt1: number
  readonly salt2: number
  readonly frames: number
  /** The number and the CRC-32 of the page in the last frame. */
  readonly page: number
  readonly pageSum: number
}

const MAGIC = 0x4d48_6332
const BYTES = 28
/** How often a log can have begun anew since its mark was written to the disk: 8 TB of commits. Else it is another log. */
const MOST_BEGUN = 2 ** 20
const NOTHING: CommitPosition = { salt1: 0, salt2: 0, frames: 0, page: 0, pageSum: 0 }

export const markFile = (file: string): string => `${file}-committed`

export class CommitMark {
  readonly #file: number
  readonly #log: number
  readonly #state: StatementSync
  readonly #salts = Buffer.alloc(8)
  readonly #frame: Buffer

  /** `log` is the descriptor of the write-ahead log. */
  constructor(db: DatabaseSync, file: string, log: number) {
    closeSync(openSync(markFile(file), 'a', 0o600))
    this.#file = openSync(markFile(file), 'r+')
    this.#log = log
    this.#state = db.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#state.setReturnArrays(true)
    const { page_size: pageSize } = db.prepare('PRAGMA page_size').get() as { page_size: number }
    this.#frame = Buffer.alloc(FRAME_HEADER + pageSize)
  }

  /** The end of the last commit. To be called between the commit and its sync. */
  position(): CommitPosition {
    readSync(this.#log, this.#salts, 0, 8, 16)
    const [, frames] = this.#state.get() as unknown as [number, number, number]
    if (frames <= 0) return NOTHING
    readSync(this.#log, this.#frame, 0, this.#frame.length, frameAt(frames - 1, this.#frame.length))
    return {
      salt1: this.#salts.readUInt32BE(0),
      salt2: this.#salts.readUInt32BE(4),
      frames,
      page: this.#frame.readUInt32BE(0),
      pageSum: crc32(this.#frame.subarray(FRAME_HEADER)),
    }
  }

  /** All up to this position has been synced. A mark that can't be written finds less and fails nothing. */
  reached(position: CommitPosition): void {
    try {
      writeSync(this.#file, encoded(position), 0, BYTES, 0)
    } catch {}
  }

  close(): void {
    closeSync(this.#file)
  }
}

/**
 * Before the log is emptied or removed: nothing of it is promised. Synced, so that a loss of power can't leave the earlier
 * mark beside a log that is gone.
 */
export function clearMark(file: string): void {
  try {
    writeFileSync(markFile(file), encoded(NOTHING), { flag: 'r+', flush: true })
  } catch {}
}

function encoded({ salt1, salt2, frames, page, pageSum }: CommitPosition): Buffer {
  const mark = Buffer.alloc(BYTES)
  for (const [i, word] of [MAGIC, salt1, salt2, frames, page, pageSum].entries()) mark.writeUInt32BE(word, i * 4)
  mark.writeUInt32BE(crc32(mark.subarray(0, BYTES - 4)), BYTES - 4)
  return mark
}

/**
 * What is wrong with the write-ahead log, in words, where it ends before its mark; undefined where it does not. To be
 * called before SQLite opens the file: that begins to write over the rest of the log.
 */
export function lostCommits(file: string): string | undefined {
  const mark = readMark(file)
  if (mark === undefined) return undefined
  if (sizeOf(file) === 0) return 'it is missing or empty, and was in use'
  if (mark.frames === 0) return undefined
  const log = `${file}-wal`
  // Another program that opens the database of a killed process copies the log into it and removes the log.
  if (sizeOf(log) === 0 && hasLastPage(file, mark)) return undefined
  const header = readWalHeader(log)
  if (header === undefined) return `${log} is missing or its header is broken, and commits were in it`
  if (header.salt1 !== mark.salt1 || header.salt2 !== mark.salt2) {
    // Each time that the log begins anew its first salt is one more. All of the earlier log is in the database then.
    const begun = (header.salt1 - mark.salt1) >>> 0
    return begun > 0 && begun < MOST_BEGUN ? undefined : `${log} is of another time than the last commits`
  }
  const valid = validFrames(log, header, mark.frames)
  if (valid >= mark.frames) return undefined
  return `${log} is broken or cut at page ${valid + 1} of ${mark.frames}, and commits were behind it`
}

function readMark(file: string): CommitPosition | undefined {
  try {
    const mark = readFileSync(markFile(file))
    if (mark.length !== BYTES || mark.readUInt32BE(0) !== MAGIC) return undefined
    if (mark.readUInt32BE(BYTES - 4) !== crc32(mark.subarray(0, BYTES - 4))) return undefined
    return {
      salt1: mark.readUInt32BE(4),
      salt2: mark.readUInt32BE(8),
      frames: mark.readUInt32BE(12),
      page: mark.readUInt32BE(16),
      pageSum: mark.readUInt32BE(20),
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Whether the database has the last page of the log as it was written there. */
function hasLastPage(file: string, { page, pageSum }: CommitPosition): boolean {
  const sum = readAt(file, db => {
    // https://sqlite.org/fileformat2.html#page_size: 1 stands for 65536.
    const size = Buffer.alloc(2)
    readSync(db, size, 0, 2, 16)
    const pageSize = size.readUInt16BE(0) === 1 ? 65_536 : size.readUInt16BE(0)
    const bytes = Buffer.alloc(pageSize)
    return readSync(db, bytes, 0, pageSize, (page - 1) * pageSize) === pageSize ? crc32(bytes) : undefined
  })
  return sum === pageSum
}

/** SQLite's write-ahead log as a file. https://sqlite.org/fileformat2.html#walformat */
interface WalHeader {
  readonly pageSize: number
  readonly salt1: number
  readonly salt2: number
  /** Whether words are summed as big-endian. */
  readonly isBigEndian: boolean
  readonly sum: Sum
}

type Sum = readonly [number, number]

const HEADER = 32
const FRAME_HEADER = 24

/** Where the frame of this index begins. */
const frameAt = (index: number, frameBytes: number): number => HEADER + index * frameBytes

/** undefined where there is no log, or one whose header SQLite would not take. */
function readWalHeader(log: string): WalHeader | undefined {
  const bytes = Buffer.alloc(HEADER)
  if (!readAt(log, file => readSync(file, bytes, 0, HEADER, 0) === HEADER)) return undefined
  const magic = bytes.readUInt32BE(0)
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return undefined
  const isBigEndian = magic === 0x377f0683
  const sum = addTo([0, 0], bytes.subarray(0, 24), isBigEndian)
  if (sum[0] !== bytes.readUInt32BE(24) || sum[1] !== bytes.readUInt32BE(28)) return undefined
  return {
    pageSize: bytes.readUInt32BE(8),
    salt1: bytes.readUInt32BE(16),
    salt2: bytes.readUInt32BE(20),
    isBigEndian,
    sum,
  }
}

/** How many frames from the first on are whole and of this header, at most `most`. */
function validFrames(log: string, header: WalHeader, most: number): number {
  const { pageSize, salt1, salt2, isBigEndian } = header
  const frame = Buffer.alloc(FRAME_HEADER + pageSize)
  let valid = 0
  let sum = header.sum
  readAt(log, file => {
    for (; valid < most; valid++) {
      if (readSync(file, frame, 0, frame.length, frameAt(valid, frame.length)) !== frame.length) return
      if (frame.readUInt32BE(8) !== salt1 || frame.readUInt32BE(12) !== salt2) return
      sum = addTo(sum, frame.subarray(0, 8), isBigEndian)
      sum = addTo(sum, frame.subarray(FRAME_HEADER), isBigEndian)
      if (sum[0] !== frame.readUInt32BE(16) || sum[1] !== frame.readUInt32BE(20)) return
    }
  })
  return valid
}

/** The format's own checksum, carried on over more bytes: a multiple of 8. */
function addTo([first, second]: Sum, bytes: Buffer, isBigEndian: boolean): Sum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let [a, b] = [first, second]
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + view.getUint32(at, !isBigEndian) + b) >>> 0
    b = (b + view.getUint32(at + 4, !isBigEndian) + a) >>> 0
  }
  return [a, b]
}

/** undefined where the file is not there. */
function readAt<R>(path: string, read: (file: number) => R): R | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return read(file)
  } finally {
    closeSync(file)
  }
}
