/**
 * The store in one SQLite file, for the one-process shape: documents, events and the subscribers' places.
 *
 * Durability is that of `synchronous=FULL` and is reached in two steps: SQLite commits without a sync
 * (`synchronous=NORMAL`), then this process syncs the write-ahead log in the thread pool and only then answers, tells
 * of events, or lets a read out that may have seen the commit. A crash of the process loses nothing that was
 * committed, a loss of power nothing that was synced.
 */
import { closeSync, fdatasync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { Database } from '../collection.ts'
import { Checkpointer } from './checkpointer.ts'
import { type AppendedListener, EventTable } from './event-table.ts'
import { type FileLock, lockFile } from './file-lock.ts'
import { GroupCommit } from './group-commit.ts'
import { markSchema, prepareCollection, prepareSchema } from './schema.ts'
import { sqliteCollection } from './sqlite-collection.ts'
import { preparedOnce } from './statements.ts'

export { type FileLock, lockFile, StoreInUse } from './file-lock.ts'
export { StoreClosed } from './group-commit.ts'
export { StoreVersionMismatch } from './schema.ts'

export interface SqliteDatabase extends Database {
  /** Calls the listener after each commit that appended events, with their topics, until the returned call. */
  onAppended(listener: AppendedListener): () => void

  /** The `seq` of the newest durable event; 0 when there was never one. */
  readonly lastEvent: number

  /** The rows of a query, each an array of its columns. May see what is committed and not durable yet. */
  read<Row extends readonly unknown[]>(sql: string, ...parameters: SQLInputValue[]): Row[]

  /** Runs one statement in the next group commit; resolves with the number of changed rows once that is durable. */
  execute(sql: string, ...parameters: SQLInputValue[]): Promise<number>

  /**
   * Deletes events from before a time (ms since 1970), up to this `seq`, that every subscriber group has behind it, oldest
   * first, 500 in one write, so that others get their turn. Stops at the first event that must stay. Resolves with how
   * many went.
   */
  trimEvents(before: number, upTo?: number): Promise<number>

  /** Rejects while nothing can be written. */
  ping(): Promise<void>

  /** Finishes the accepted writes, folds the write-ahead log into the file and closes it. */
  close(): Promise<void>
}

const syncFile = promisify(fdatasync)

/**
 * 8 KiB pages: a document and its event are about 2 KB, and a group of 64 inserts costs the calling thread 12 µs each
 * where 4 KiB pages cost 14 (half as many frames to log). A million documents do not change that.
 */
const SETTINGS = `
  PRAGMA page_size = 8192;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -65536;
  PRAGMA temp_store = MEMORY`

/** Opens or creates the file and its folder. Throws `StoreInUse` when another live process has it, `StoreVersionMismatch`. */
export function openSqlite({ file }: { readonly file: string }): SqliteDatabase {
  mkdirSync(dirname(file), { recursive: true })
  const lock = lockFile(file)
  const db = new DatabaseSync(file, { timeout: 5000, open: false })
  try {
    db.open()
    db.exec(SETTINGS)
    prepareSchema(db, file)
    return serving(db, file, lock)
  } catch (error) {
    if (db.isOpen) db.close()
    lock.release()
    throw error
  }
}

function serving(db: DatabaseSync, file: string, lock: FileLock): SqliteDatabase {
  const prepare = preparedOnce(db)
  const events = new EventTable(prepare)
  const checkpointer = new Checkpointer(db, file)
  // Closing this descriptor drops no lock of SQLite's: those are on the database file and its -shm.
  const log = openSync(`${file}-wal`, 'r+')
  const commit = new GroupCommit({
    db,
    sync: () => syncFile(log),
    // Pages whose sync failed may never reach the disk through the log (Linux forgets that they are dirty), and a
    // hole in the log would take all later commits with it. The database file gets them instead.
    repair: () => checkpointWhole(db),
    committed: () => events.committed(),
    undone: () => events.undone(),
    between: () => checkpointer.between(),
  })
  let closed: Promise<void> | undefined

  async function close(): Promise<void> {
    await commit.close()
    await checkpointer.close()
    closeSync(log)
    db.close()
    lock.release()
  }

  const execute = (sql: string, ...parameters: SQLInputValue[]): Promise<number> =>
    commit.write(() => Number(prepare(sql).run(...parameters).changes))

  return {
    collection(spec) {
      prepareCollection(db, spec)
      return sqliteCollection(spec, prepare, commit, events)
    },
    onAppended: listener => events.listen(listener),
    get lastEvent() {
      return events.durable
    },
    read: <Row extends readonly unknown[]>(sql: string, ...parameters: SQLInputValue[]) =>
      prepare(sql).all(...parameters) as unknown as Row[],
    execute,
    async trimEvents(before, upTo = Number.MAX_SAFE_INTEGER) {
      let trimmed = 0
      for (;;) {
        const cut = events.cut(before, upTo)
        if (cut.events === 0) return trimmed
        trimmed += await execute('DELETE FROM event_log WHERE seq <= ?', cut.seq)
      }
    },
    async ping() {
      // Nothing is written while all is well. Else the first page as it is: that takes its place in the log as any other.
      if (commit.failed) await commit.write(() => markSchema(db))
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** Throws where a reader kept it from finishing: the log may have a hole then, and nothing may follow it. */
function checkpointWhole(db: DatabaseSync): void {
  const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
  if (busy !== 0) throw new Error('the log could not be copied into the database after a failed sync')
}
