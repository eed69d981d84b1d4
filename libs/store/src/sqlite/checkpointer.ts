import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'

/**
 * Pages of the write-ahead log that are not in the database file yet, at which copying begins: 8 MB. One run each at
 * 40,000 inserts/s on two shared cores: the slowest group took 16 ms with 1,000 pages, 25 ms with 2,000, 28 ms and
 * more with 4,000; 500 pages were no better.
 */
const PAGES = 1000
const PAGES_WITHOUT_ROOM = 50

/**
 * Copies the write-ahead log into the database file on a thread of its own: a checkpoint is tens of milliseconds of
 * writing and syncing, which on the calling thread would be the worst latency of all. While writes go on a checkpoint
 * never reaches the log's end, and the log could not begin anew. So there are two passes: the first copies beside
 * the writes, the second holds them for the little that has come meanwhile. The thread starts when it is first
 * needed; a quiet server has none.
 */
export class Checkpointer {
  readonly #file: string
  readonly #state: StatementSync
  #thread: Worker | undefined
  #first: Promise<void> | undefined
  #second = false

  readonly #isRoomLow: () => boolean

  /** With little room on the disk it begins earlier: a log that begins anew needs no more of it. */
  constructor(db: DatabaseSync, file: string, isRoomLow: () => boolean) {
    this.#file = file
    this.#isRoomLow = isRoomLow
    this.#state = db.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#state.setReturnArrays(true)
  }

  /** To be called between two commits; the next waits for the promise, if there is one. */
  between(): Promise<void> | undefined {
    if (this.#first !== undefined) return
    if (this.#second) {
      this.#second = false
      return this.#pass().then(() => undefined)
    }
    const [, logged, copied] = this.#state.get() as unknown as [number, number, number]
    if (logged - copied < (this.#isRoomLow() ? PAGES_WITHOUT_ROOM : PAGES)) return
    this.#first = this.#pass().then(well => {
      this.#second = well
      this.#first = undefined
    })
  }

  async close(): Promise<void> {
    await this.#first
    await this.#thread?.terminate()
  }

  /** Resolves with whether it went well; a checkpoint that did not is made up for by a later one. */
  #pass(): Promise<boolean> {
    this.#thread ??= this.#start()
    const thread = this.#thread
    return new Promise(resolve => {
      const done = (well: boolean) => {
        thread.off('message', done).off('exit', ended)
        resolve(well)
      }
      const ended = () => done(false)
      thread.on('message', done).on('exit', ended)
      thread.postMessage('checkpoint')
    })
  }

  #start(): Worker {
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: this.#file })
    const forget = () => {
      this.#thread = undefined
    }
    thread.on('error', forget).on('exit', forget)
    thread.unref()
    return thread
  }
}
