import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { processMetrics } from '@millhand/telemetry'
import type { EventTable } from './event-table.ts'
import { faultOf } from './faults.ts'
import type { StoreState } from './store-state.ts'

/** The store is closed. */
export class StoreClosed extends Error {
  constructor() {
    super('the store is closed')
    this.name = 'StoreClosed'
  }
}

export interface GroupCommitOptions {
  readonly db: DatabaseSync
  /** Makes what has been committed survive loss of power. */
  readonly sync: () => Promise<void>
  /** After a failed `sync`, before the next commit: makes all that was ever committed durable by another way. */
  readonly repair: () => void
  /** Hears of each group: once it is durable and answered, or when it was undone or its outcome is unknown. */
  readonly events: Pick<EventTable, 'committed' | 'undone'>
  /** Between two groups; the next one waits for the promise, if there is one. */
  readonly between: () => Promise<void> | undefined
  readonly state: Pick<StoreState, 'refusal' | 'explain'>
  /** Makes room on a full disk; false where it can't, and the group fails. */
  readonly makeRoom: () => boolean
}

const recordCommit = processMetrics.boundHistogram('millhand_store_commit_seconds', { store: 'sqlite' })
const countFailure = processMetrics.boundCounter('millhand_store_commit_failures_total', { store: 'sqlite' })

/** A group is closed at either limit, so that no turn of the event loop is held for long. */
const MOST_WRITES = 1000
const MOST_MILLISECONDS = 10
const CLOCK_EVERY = 32

/** `idle`: nobody waits for it, and it goes with the next group. */
export type Urgency = 'now' | 'idle'

/** The longest that an idle write waits for a group. */
const IDLE_MS = 1_000

interface Write {
  /** Makes the change, inside the group's transaction. */
  readonly apply: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
  result: unknown
}

/**
 * Puts all writes that wait at one moment in one transaction, in the order in which they were asked for, and answers
 * them once it is durable. One group is under way at a time: the writes that come while it is synced are the next.
 *
 * A group begins in the event loop's check phase, right after the poll phase has handed out every request that had
 * come: none waits for company, and all that are there share the cost. The sync runs in libuv's thread pool; it is
 * more than half of a commit's time, and requests are parsed meanwhile.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions
  readonly #begin: StatementSync
  readonly #end: StatementSync
  #waiting: Write[] = []
  #idle: Write[] = []
  #idleTimer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #syncing: Promise<void> | undefined
  #suspect = false
  #failed = false
  #closed = false
  /** How many transactions were committed. */
  commits = 0

  constructor(options: GroupCommitOptions) {
    this.#options = options
    this.#begin = options.db.prepare('BEGIN IMMEDIATE')
    this.#end = options.db.prepare('COMMIT')
  }

  /** Resolves with what `apply` returned, once that is durable; rejects when the group failed. */
  write<R>(apply: () => R, urgency: Urgency = 'now'): Promise<R> {
    const refusal = this.#closed ? new StoreClosed() : this.#options.state.refusal()
    if (refusal !== undefined) return Promise.reject(refusal)
    return new Promise<R>((resolve, reject) => {
      const write = { apply, resolve, reject, result: undefined }
      if (urgency === 'idle') {
        this.#idle.push(write)
        this.#idleTimer ??= setTimeout(() => this.hurry(), IDLE_MS)
      } else {
        this.#waiting.push(write)
        this.#start()
      }
    })
  }

  /** Idle writes wait no longer. */
  hurry(): void {
    if (this.#idle.length === 0) return
    this.#waiting.push(...this.#takeIdle())
    this.#start()
  }

  /**
   * Resolves with what was just read, once the commits that it may have seen are durable; after a failed sync that is once
   * another group was written.
   */
  durable<R>(read: () => R): Promise<R> {
    const refusal = this.#closed ? new StoreClosed() : this.#options.state.refusal()
    if (refusal !== undefined) return Promise.reject(refusal)
    try {
      const seen = read()
      const syncing = this.#syncing ?? (this.#suspect ? this.write(() => {}) : undefined)
      if (syncing === undefined) return Promise.resolve(seen)
      return syncing.then(
        () => seen,
        error => {
          throw this.#options.state.explain(error)
        },
      )
    } catch (error) {
      return Promise.reject(this.#options.state.explain(error))
    }
  }

  /** Whether the last group was undone, or its outcome is unknown. */
  get failed(): boolean {
    return this.#failed
  }

  /** Refuses new writes and waits for those that were accepted. */
  async close(): Promise<void> {
    this.#closed = true
    this.hurry()
    await this.#running
  }

  #start(): void {
    this.#running ??= new Promise(resolve => setImmediate(resolve)).then(() => this.#run())
  }

  #takeIdle(): Write[] {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = undefined
    return this.#idle.splice(0)
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        await this.#group()
        await this.#options.between()
        if (this.#waiting.length > 0) await new Promise(resolve => setImmediate(resolve))
      }
    } finally {
      this.#running = undefined
    }
  }

  async #group(): Promise<void> {
    const { db, sync, events, state, makeRoom } = this.#options
    const group = [...this.#waiting.splice(0, MOST_WRITES), ...this.#takeIdle()]
    const began = performance.now()
    try {
      this.#commit(group)
      this.#syncing = sync()
      await this.#syncing
      recordCommit((performance.now() - began) / 1_000)
    } catch (error) {
      countFailure()
      this.#suspect ||= this.#syncing !== undefined
      const isTriedAgain = this.#syncing === undefined && faultOf(error) === 'full' && makeRoom()
      if (isTriedAgain) {
        this.#waiting = [...group, ...this.#waiting]
      } else {
        this.#failed = true
        // First, so that nobody is left waiting when undoing fails as well.
        const told = state.explain(error)
        for (const write of group) write.reject(told)
      }
      if (db.isTransaction) db.exec('ROLLBACK')
      events.undone()
      return
    } finally {
      this.#syncing = undefined
    }
    this.#failed = false
    for (const write of group) write.resolve(write.result as never)
    events.committed()
  }

  /** Takes what there was no time for out of the group, and puts it back in front of those that wait. */
  #commit(group: Write[]): void {
    if (this.#suspect) this.#options.repair()
    this.#suspect = false
    const end = performance.now() + MOST_MILLISECONDS
    this.#begin.run()
    let applied = 0
    for (const write of group) {
      write.result = write.apply()
      applied += 1
      if (applied % CLOCK_EVERY === 0 && performance.now() > end) break
    }
    if (applied < group.length) this.#waiting = [...group.splice(applied), ...this.#waiting]
    this.#end.run()
    this.commits += 1
  }
}
