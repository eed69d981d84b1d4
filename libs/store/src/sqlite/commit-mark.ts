/**
 * How far the write-ahead log was synced, kept outside of it. SQLite takes the log's first frame that is broken or
 * missing for its end and says nothing: commits behind it would be lost silently. The mark is written after each sync
 * and before the commits are answered, so a log that ends before it has lost answered commits.
 *
 * The mark itself is not synced: that would double the cost of a commit. It is exact after kill -9. After a loss of
 * power it is what the system had written by then (Linux: at most some 30 s old), never more than what was synced.
 */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { readWalHeader, validFrames } from './wal.ts'

/** Where in the log a commit ends. The salts are those of the log's header: they change when it begins anew. */
export interface CommitPosition {
  readonly salt1: number
  readonly salt2: number
  readonly frames: number
}

const MAGIC = 0x4d48_6331
const BYTES = 20

export const markFile = (file: string): string => `${file}-committed`

export class CommitMark {
  readonly #file: number
  readonly #log: number
  readonly #state: StatementSync
  readonly #salts = Buffer.alloc(8)
  readonly #mark = Buffer.alloc(BYTES)

  /** `log` is the descriptor of the write-ahead log. */
  constructor(db: DatabaseSync, file: string, log: number) {
    closeSync(openSync(markFile(file), 'a', 0o600))
    this.#file = openSync(markFile(file), 'r+')
    this.#log = log
    this.#state = db.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#state.setReturnArrays(true)
  }

  /** The end of the last commit. To be called between the commit and its sync. */
  position(): CommitPosition {
    readSync(this.#log, this.#salts, 0, 8, 16)
    const [, frames] = this.#state.get() as unknown as [number, number, number]
    return { salt1: this.#salts.readUInt32BE(0), salt2: this.#salts.readUInt32BE(4), frames }
  }

  /** All up to this position has been synced. A mark that can't be written finds less and fails nothing. */
  reached({ salt1, salt2, frames }: CommitPosition): void {
    this.#mark.writeUInt32BE(MAGIC, 0)
    this.#mark.writeUInt32BE(salt1, 4)
    this.#mark.writeUInt32BE(salt2, 8)
    this.#mark.writeUInt32BE(frames, 12)
    this.#mark.writeUInt32BE(crc32(this.#mark.subarray(0, 16)), 16)
    try {
      writeSync(this.#file, this.#mark, 0, BYTES, 0)
    } catch {}
  }

  /** Before the log is emptied or removed: nothing of it is promised. */
  clear(): void {
    this.reached({ salt1: 0, salt2: 0, frames: 0 })
  }

  close(): void {
    closeSync(this.#file)
  }
}

/**
 * What is wrong with the write-ahead log, in words, where it ends before its mark; undefined where it does not. To be
 * called before SQLite opens the file: that begins to write over the rest of the log.
 */
export function lostCommits(file: string): string | undefined {
  const mark = readMark(file)
  if (mark === undefined || mark.frames === 0) return undefined
  const log = `${file}-wal`
  const header = readWalHeader(log)
  if (header === undefined) {
    return `${log} is missing or its header is broken, and commits were in it (unless another program, such as sqlite3, has opened the database since the server was killed and has put them into it: then remove ${markFile(file)} and start)`
  }
  if (header.salt1 !== mark.salt1 || header.salt2 !== mark.salt2) {
    // Each time that the log begins anew its first salt is one more. All of the earlier log is in the database then.
    const begun = (header.salt1 - mark.salt1) >>> 0
    return begun > 0 && begun < 2 ** 31 ? undefined : `${log} is of an earlier time than the last commits`
  }
  const valid = validFrames(log, header, mark.frames)
  if (valid >= mark.frames) return undefined
  return `${log} is broken or cut at page ${valid + 1} of ${mark.frames}, and commits were behind it`
}

function readMark(file: string): CommitPosition | undefined {
  try {
    const mark = readFileSync(markFile(file))
    if (mark.length !== BYTES || mark.readUInt32BE(0) !== MAGIC) return undefined
    if (mark.readUInt32BE(16) !== crc32(mark.subarray(0, 16))) return undefined
    return { salt1: mark.readUInt32BE(4), salt2: mark.readUInt32BE(8), frames: mark.readUInt32BE(12) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
