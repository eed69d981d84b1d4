/**
 * The store in one SQLite file, for the one-process shape: documents, events and the subscribers' places.
 *
 * Durability is that of `synchronous=FULL` and is reached in two steps: SQLite commits without a sync
 * (`synchronous=NORMAL`), then this process syncs the write-ahead log in the thread pool and only then answers, tells
 * of events, or lets a read out that may have seen the commit. A crash of the process loses nothing that was
 * committed, a loss of power nothing that was synced.
 */
import { closeSync, fdatasync, fdatasyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { Log } from '@millhand/telemetry'
import type { Database, OutboxEvent } from '../collection.ts'
import { Checkpointer } from './checkpointer.ts'
import { CommitMark, clearMark, lostCommits } from './commit-mark.ts'
import type { DiskRoom } from './disk-room.ts'
import { type AppendedListener, EventTable } from './event-table.ts'
import { faultOf, StoreDamaged } from './faults.ts'
import { type FileLock, lockFile } from './file-lock.ts'
import { GroupCommit, type Urgency } from './group-commit.ts'
import { PageCheck } from './page-check.ts'
import type { AppendedEvent } from './recent-events.ts'
import { markSchema, prepareCollection, prepareSchema } from './schema.ts'
import { sqliteCollection } from './sqlite-collection.ts'
import { type Prepare, preparedOnce } from './statements.ts'
import { StoreState } from './store-state.ts'

export { DiskRoom } from './disk-room.ts'
export { faultOf, StoreDamaged } from './faults.ts'
export { type FileLock, lockFile, StoreInUse } from './file-lock.ts'
export { StoreClosed } from './group-commit.ts'
export type { AppendedEvent } from './recent-events.ts'
export { NoRoomToUpgrade, StoreVersionMismatch } from './schema.ts'
export { type Finding, readStore, type StoredDocument, verifySqlite } from './verify.ts'

export interface SqliteDatabase extends Database {
  /** Calls the listener after each commit that appended events, with these, until the returned call. */
  onAppended(listener: AppendedListener): () => void

  /** The `seq` of the newest durable event; 0 when there was never one. */
  readonly lastEvent: number

  /** The durable events after `seq` up to `upTo`, where they are still in memory: only those that came last are. */
  recentEvents(seq: number, upTo: number): readonly AppendedEvent[] | undefined

  /** How many transactions were committed since it was opened: each is one sync of the disk. */
  readonly commits: number

  /** The rows of a query, each an array of its columns. May see what is committed and not durable yet. */
  read<Row extends readonly unknown[]>(sql: string, ...parameters: SQLInputValue[]): Row[]

  /** Runs one statement in the next group commit; resolves with the number of changed rows once that is durable. */
  execute(sql: string, ...parameters: SQLInputValue[]): Promise<number>

  /** The same with the next group, and without one within a second, or as soon as `hurry` is called: nobody waits for it. */
  executeIdle(sql: string, ...parameters: SQLInputValue[]): Promise<number>

  /** Idle statements wait no longer. */
  hurry(): void

  /** Appends an event that belongs to no change of a document, unless one of its id is there; resolves once that is durable. */
  append(event: OutboxEvent, tenant: string): Promise<void>

  /**
   * Deletes events from before a time (ms since 1970), up to this `seq`, that every subscriber group has behind it, oldest
   * first, 500 in one write, so that others get their turn. Stops at the first event that must stay. Resolves with how
   * many went.
   */
  trimEvents(before: number, upTo?: number): Promise<number>

  /** Rejects while nothing can be written, new documents are refused for want of room, or the store is damaged. */
  ping(): Promise<void>

  /**
   * Checks the file's pages, beside all other calls. After a stop that was not clean it resolves when that is done, or
   * after 10 s; else at once. It ends after five minutes, and says then which tables it has not seen. Rejects with
   * `StoreDamaged` for what it finds before it resolves; what it finds later refuses every call from then on.
   */
  check(): Promise<void>

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

export interface SqliteOptions {
  readonly file: string
  readonly log?: Log
  /** Where it is set, collections that are `refusedWhenFull` heed it. */
  readonly room?: DiskRoom
}

/**
 * Opens or creates the file and its folder. Throws `StoreInUse` when another live process has it, and `StoreDamaged`
 * when it can't be read or commits that were answered are lost; the files are as they were then. Throws `StoreVersionMismatch`
 * and `NoRoomToUpgrade` too.
 */
export function openSqlite(options: SqliteOptions): SqliteDatabase {
  const { file } = options
  mkdirSync(dirname(file), { recursive: true })
  const lock = lockFile(file)
  const db = new DatabaseSync(file, { timeout: 5000, open: false })
  try {
    const lost = lostCommits(file)
    if (lost !== undefined) throw new StoreDamaged(file, lost)
    const wasClean = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0
    // The next log has salts of its own: beside it, the mark of one that is gone would be that of another store.
    if (wasClean) clearMark(file)
    db.open()
    db.exec(SETTINGS)
    prepareSchema(db, options)
    return serving(db, lock, wasClean, options)
  } catch (error) {
    const isDamaged = faultOf(error) === 'damaged'
    if (db.isOpen) {
      // Closing copies the log into the database and removes it.
      if (!isDamaged) clearMark(file)
      db.close()
    }
    lock.release()
    throw isDamaged ? new StoreDamaged(file, (error as Error).message, { cause: error }) : error
  }
}

function serving(db: DatabaseSync, lock: FileLock, wasClean: boolean, options: SqliteOptions): SqliteDatabase {
  const { file, log: logger, room } = options
  const prepare = preparedOnce(db)
  const events = new EventTable(prepare)
  const state = new StoreState(file, logger)
  const checkpointer = new Checkpointer(db, file, () => room?.isLow ?? false)
  // Closing this descriptor drops no lock of SQLite's: those are on the database file and its -shm.
  const log = openSync(`${file}-wal`, 'r+')
  // What the last process committed and did not sync is read from now on: no loss of power may take it back.
  if (!wasClean) fdatasyncSync(log)
  const mark = new CommitMark(db, file, log)
  const commit = new GroupCommit({
    db,
    async sync() {
      const position = mark.position()
      await syncFile(log)
      mark.reached(position)
    },
    // Pages whose sync failed may never reach the disk through the log (Linux forgets that they are dirty), and a
    // hole in the log would take all later commits with it. The database file gets them instead.
    repair() {
      clearMark(file)
      checkpointWhole(db)
    },
    events,
    state,
    between: () => checkpointer.between(),
    makeRoom: () => room?.release() ?? false,
  })
  const check = new PageCheck(file, state, logger)
  let closed: Promise<void> | undefined

  async function close(): Promise<void> {
    await check.close()
    await commit.close()
    await checkpointer.close()
    clearMark(file)
    mark.close()
    closeSync(log)
    db.close()
    lock.release()
  }

  const executor = executorOf(prepare, commit)
  const execute = executor('now')

  return {
    collection(spec) {
      prepareCollection(db, spec)
      const isFull = () => spec.refusedWhenFull === true && room?.isLow === true
      return sqliteCollection(spec, prepare, commit, events, isFull)
    },
    onAppended: listener => events.listen(listener),
    get lastEvent() {
      return events.durable
    },
    recentEvents: (seq, upTo) => events.recent.between(seq, upTo),
    get commits() {
      return commit.commits
    },
    read<Row extends readonly unknown[]>(sql: string, ...parameters: SQLInputValue[]) {
      const refusal = state.refusal()
      if (refusal !== undefined) throw refusal
      try {
        return prepare(sql).all(...parameters) as unknown as Row[]
      } catch (error) {
        throw state.explain(error)
      }
    },
    execute,
    executeIdle: executor('idle'),
    hurry: () => commit.hurry(),
    append: (event, tenant) => commit.write(() => (events.has(event.id) ? undefined : events.append([event], tenant))),
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
      if (state.damage !== undefined) throw state.damage
      if (commit.failed || state.failure !== undefined) await commit.write(() => markSchema(db))
      state.worked()
      if (room?.isLow) throw new Error(room.reason)
    },
    async check() {
      check.begin()
      if (wasClean) return
      await check.wait()
      if (state.damage !== undefined) throw state.damage
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}

const executorOf =
  (prepare: Prepare, commit: GroupCommit) =>
  (urgency: Urgency) =>
  (sql: string, ...parameters: SQLInputValue[]): Promise<number> =>
    commit.write(() => Number(prepare(sql).run(...parameters).changes), urgency)

/** Throws where a reader kept it from finishing: the log may have a hole then, and nothing may follow it. */
function checkpointWhole(db: DatabaseSync): void {
  const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
  if (busy !== 0) throw new Error('the log could not be copied into the database after a failed sync')
}
