/** What goes wrong below the store, and what callers and operators are told of it. */
import { fail } from '@millhand/api'

/** The file can't be trusted: it is not served from until the operator has acted. The message says what to do. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged'
  readonly file: string
  constructor(file: string, what: string, options?: ErrorOptions) {
    super(
      `${file} is damaged: ${what}. Stop the server, move the data folder away and restore it from a backup; ` +
        '`pnpm millhand verify` says what is wrong. See docs/operating.md, “A damaged store”.',
      options,
    )
    this.file = file
  }
}

// https://sqlite.org/rescode.html: the lower byte is the primary code.
const [IOERR, CORRUPT, FULL, NOTADB] = [10, 11, 13, 26]
/** What SQLite makes of every failed write but ENOSPC: of a quota that is used up (EDQUOT), or a limit of a file's size. */
const IOERR_WRITE = 778
/** SQLite can't say that a disk is full where the log is written: it is one of these, with Node's or its own code. */
const DISK_FULL = new Set(['ENOSPC', 'EDQUOT'])

export type FaultKind = 'damaged' | 'full' | 'unreadable'

/** undefined for what is no fault of the disk or the file. */
export function faultOf(error: unknown): FaultKind | undefined {
  const { errcode, code } = error as { errcode?: number; code?: string }
  if (DISK_FULL.has(code ?? '')) return 'full'
  if (code === 'EIO') return 'unreadable'
  if (errcode === undefined) return undefined
  if (errcode === IOERR_WRITE) return 'full'
  switch (errcode & 0xff) {
    case CORRUPT:
    case NOTADB:
      return 'damaged'
    case FULL:
      return 'full'
    case IOERR:
      return 'unreadable'
    default:
      return undefined
  }
}

/** As the disk would say it, where it was not asked. */
const diskFull = () => Object.assign(new Error('the disk is nearly full'), { code: 'ENOSPC' })

export const noRoom = (cause: unknown = diskFull()): Error =>
  fail('unavailable', 'There is no room to store this at the moment. Nothing was stored.', { cause, retryAfterS: 10 })

export const damaged = (cause: StoreDamaged): Error =>
  fail('unavailable', 'The store is damaged, and is not served from until it is restored.', { cause, retryAfterS: 60 })

export const unreadable = (cause: unknown): Error =>
  fail('unavailable', 'The store can not be read or written at the moment.', { cause, retryAfterS: 1 })
