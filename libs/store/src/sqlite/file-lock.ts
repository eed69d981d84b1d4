import { DatabaseSync } from 'node:sqlite'

/** Another live process has the file open. */
export class StoreInUse extends Error {
  readonly file: string
  constructor(file: string) {
    super(`${file} is in use by another running process; stop that one, or choose another data folder`)
    this.name = 'StoreInUse'
    this.file = file
  }
}

export interface FileLock {
  release(): void
}

const SQLITE_BUSY = 5

/**
 * Holds `<file>.lock` until `release` or the end of the process, however it ends. Throws `StoreInUse` when another
 * holder has not let go within a second. Node has no file locks of its own, so the lock is that of an empty SQLite
 * file; the data file itself stays unlocked between transactions, so that the checkpoint thread can work on it.
 */
export function lockFile(file: string): FileLock {
  const lock = new DatabaseSync(`${file}.lock`, { timeout: 1000 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw (error as { errcode?: number }).errcode === SQLITE_BUSY ? new StoreInUse(file) : error
  }
  return { release: () => lock.close() }
}
