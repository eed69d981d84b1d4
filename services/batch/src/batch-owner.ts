/**
 * What the owner of the service does with batches that have not ended: it takes each of them on, step by step, until it
 * has ended. A batch has one step under way at a time. One that is slow or fails holds up no other, nor the events.
 */
import type { Log } from '@millhand/telemetry'
import { type BatchRecord, hasEnded } from './batch.ts'
import { type BatchStepDeps, type BatchSteps, createBatchSteps, type ItemChanges } from './batch-steps.ts'
import { changeBatch } from './batch-store.ts'
import { createFairRuns } from './fair-runs.ts'
import type { ItemState } from './item-state.ts'
import { keyOf } from './items-store.ts'
import { createPauses, type Pauses } from './pauses.ts'
import { createSchedule, type Schedule } from './schedule.ts'
import { CHUNK } from './task-maker.ts'

export interface OwnerDeps extends BatchStepDeps {
  readonly log: Log
  /** Asks for another pass. */
  readonly wake: () => void
}

/** How many tasks of one batch, and of all batches of a tenant, may wait at once: a few seconds of work. */
const QUEUED_OF_BATCH = 1_000
const QUEUED_OF_TENANT = 2_000
/** The pause before a failed step is tried again, in milliseconds: at first, and at most. */
const RETRY_MS = 1_000
const MOST_RETRY_MS = 60_000
/** Steps under way at once, of all tenants and of one. A call of a step may take 30 s to fail. */
const STEPS_AT_ONCE = 64
const STEPS_OF_TENANT = 8
/** Batches whose files are written at once, of all tenants and of one. */
const ENDS_AT_ONCE = 8
const ENDS_OF_TENANT = 2
const PAGE = 200
/** How often all batches that have not ended are listed, in milliseconds. */
const ALL_MS = 60_000

type BatchRef = Pick<BatchRecord, 'tenant' | 'id'>

export class BatchOwner {
  readonly #deps: OwnerDeps
  readonly #steps: BatchSteps
  readonly #signal: AbortSignal
  /** What events say of batches, until their next step. */
  readonly #news = new Map<string, Map<number, ItemState>>()
  readonly #pauses: Pauses
  readonly #schedule: Schedule
  /** When all batches were listed last, by the monotonic clock. */
  #allAt = Number.NEGATIVE_INFINITY
  readonly #advances = createFairRuns(STEPS_AT_ONCE, STEPS_OF_TENANT)
  readonly #ends = createFairRuns(ENDS_AT_ONCE, ENDS_OF_TENANT)

  constructor(deps: OwnerDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#steps = createBatchSteps(deps, signal)
    this.#signal = signal
    this.#pauses = createPauses(deps.clock, RETRY_MS, MOST_RETRY_MS)
    this.#schedule = createSchedule(deps.clock)
  }

  /**
   * Notes what events say of the tasks of a batch, for its next step. Notes are in memory alone: where they are lost, the
   * batch is loaded anew, which asks for the tasks themselves.
   */
  addNews(tenant: string, id: string, changes: ItemChanges): void {
    const key = keyOf({ tenant, id })
    const news = this.#news.get(key) ?? new Map<number, ItemState>()
    for (const [index, state] of changes) news.set(index, state)
    this.#news.set(key, news)
  }

  /**
   * Starts a step of every batch that needs one and has none under way. A step that fails is tried again at a later pass.
   * A batch of which there is no news costs nothing until its next step is due.
   */
  async pass(): Promise<void> {
    await this.#discover()
    for (const key of this.#news.keys())
      if (this.#schedule.has(key)) this.#schedule.hasten(key)
      else this.#news.delete(key) // It has ended.
    for (const batch of this.#schedule.due()) {
      const share = Math.floor(QUEUED_OF_TENANT / this.#schedule.countOf(batch.tenant))
      this.#start(batch, Math.max(CHUNK, Math.min(QUEUED_OF_BATCH, share)))
    }
  }

  /** Resolves once every step that was started has ended, or has become the writing of files. */
  async settled(): Promise<void> {
    await this.#advances.settled()
  }

  /** Resolves once no batch has a step under way, after the signal. */
  async close(): Promise<void> {
    // A step that is under way may begin the end of its batch.
    await this.#advances.close()
    await this.#ends.close()
  }

  /**
   * Finds what callers have changed: batches that are new or are to be cancelled. The first time, and once a minute, all
   * that have not ended: replicas of an earlier version do not say what they have changed.
   */
  async #discover(): Promise<void> {
    const { clock } = this.#deps
    const isTimeForAll = clock.monotonic() - this.#allAt >= ALL_MS
    for await (const batch of this.#listed(isTimeForAll ? 'active' : 'unseen')) {
      const isChanged = batch.unseen !== undefined || batch.status === 'cancelling'
      if (isChanged || !this.#schedule.has(keyOf(batch))) this.#schedule.add(batch)
      if (this.#signal.aborted) return
    }
    if (isTimeForAll) this.#allAt = clock.monotonic()
  }

  async *#listed(index: 'active' | 'unseen'): AsyncGenerator<BatchRecord, void> {
    for (let after: string[] = []; ; ) {
      const query = { equals: [], limit: PAGE, ...(after.length > 0 && { after }) }
      const page = await this.#deps.batches.find(index, query)
      yield* page
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      after = [last.tenant, last.id]
    }
  }

  #start(batch: BatchRef, most: number): void {
    const key = keyOf(batch)
    if (this.#pauses.has(key) || this.#ends.has(key)) return
    this.#advances.start(batch.tenant, key, () => this.#try(batch, () => this.#step(batch, most)))
  }

  async #step({ tenant, id }: BatchRef, most: number): Promise<void> {
    const key = keyOf({ tenant, id })
    this.#schedule.begin(key)
    const batch = await changeBatch(this.#deps, tenant, id, now =>
      now.unseen === undefined ? now : { ...now, unseen: undefined },
    )
    if (batch === undefined || hasEnded(batch)) return this.#schedule.remove(key)
    const news = this.#news.get(key)
    this.#news.delete(key)
    const advanced = await this.#steps.advance(batch, news ?? new Map(), most)
    if (advanced.hasEnded) this.#ends.start(tenant, key, () => this.#try(batch, () => this.#end(batch)))
    else {
      this.#pauses.end(key)
      this.#schedule.delay(key, advanced.nextInMs)
      if (this.#news.has(key)) this.#deps.wake()
    }
  }

  async #end(batch: BatchRecord): Promise<void> {
    await this.#steps.end(batch)
    const key = keyOf(batch)
    this.#pauses.end(key)
    this.#schedule.remove(key)
  }

  /** What fails is logged once as a warning, and tried again after a pause. */
  async #try(batch: BatchRef, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (this.#signal.aborted) return
      const key = keyOf(batch)
      const isAgain = this.#pauses.lengthen(key)
      this.#schedule.delay(key, this.#pauses.left(key))
      this.#deps.log[isAgain ? 'debug' : 'warn']('batch.failed', { batch: batch.id, error })
      this.#steps.forget(batch)
    }
  }
}
