import { join } from 'node:path'
import { UnusableFile } from './unusable-file.ts'

/** What SQLite said when it opened the store, with the file's name and what to do; any other error as it is. */
export function storeFault(error: unknown, dataDir: string): unknown {
  const { code, errcode, message } = error as { code?: unknown; errcode?: number; message?: string }
  if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined) return error
  const file = join(dataDir, 'millhand.db')
  const unusable = (name: string, what: string, remedy: string) =>
    new UnusableFile(name, `${what} (${message})`, remedy, { cause: error })
  // The lower byte is the primary code: https://sqlite.org/rescode.html
  switch (errcode & 0xff) {
    case PERM:
    case READONLY:
    case CANTOPEN:
      return unusable(dataDir, "can't be written to", 'MILLHAND_DATA_DIR must be a folder that this user can write to')
    case CORRUPT:
    case NOTADB:
      return unusable(`${file}.lock`, 'is not the empty file that it should be', 'Remove it')
    case FULL:
      return unusable(file, "can't grow", 'Make room on its disk')
    default:
      return unusable(file, "can't be used", 'See that its disk works, or restore the data folder from a backup')
  }
}

const [PERM, READONLY, CORRUPT, FULL, CANTOPEN, NOTADB] = [3, 8, 11, 13, 14, 26]
