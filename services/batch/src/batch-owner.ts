/**
 * What the owner of the service does with batches that have not ended: makes their tasks, follows those by their events,
 * stops them, and ends the batches. Nothing is done to one batch twice at once. What a batch takes long for, or fails at,
 * holds up no other.
 */
import type { Client } from '@connectrpc/connect'
import type { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import { type Clock, KeyedMutex } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { type BatchRecord, hasEnded, type Status } from './batch.ts'
import { type BatchStoreDeps, changeBatch } from './batch-store.ts'
import { createFairRuns } from './fair-runs.ts'
import type { TaskClients } from './item-kind.ts'
import {
  type BatchItems,
  countsOf,
  haveAllEnded,
  type ItemState,
  indexesOf,
  kindAt,
  withKinds,
  withStates,
} from './item-state.ts'
import { createItemsStore, type ItemsCollection, keyOf } from './items-store.ts'
import { createPauses, type Pauses } from './pauses.ts'
import { writeResults } from './results.ts'
import { createTaskCalls, type ItemRef, type TaskCalls } from './task-calls.ts'
import { CHUNK, fenceTasks, makeTasks, unknownItems } from './task-maker.ts'

export interface OwnerDeps extends BatchStoreDeps {
  readonly items: ItemsCollection
  readonly blobs: Blobs
  readonly tasks: TaskClients
  readonly taskFiles: Client<typeof TaskFileService>
  readonly clock: Clock
  readonly log: Log
  /** How long an ended batch and its files are kept, in milliseconds. */
  readonly retentionMs: number
}

/** What the events say of the tasks of one batch, by index. The latest counts. */
export type ItemChanges = ReadonlyMap<number, ItemState>

/** Of one batch, and of all batches of a tenant, so many tasks wait at once: a few seconds of work. */
const QUEUED_OF_BATCH = 1_000
const QUEUED_OF_TENANT = 2_000
/** After so long without news the tasks themselves are asked. */
const QUIET_MS = 30_000
/** What failed is tried again after this at first, and at last. */
const RETRY_MS = 1_000
const MOST_RETRY_MS = 60_000
/** Where the queue is full and no event of the batch comes, it is tried again after this at first, and at last. */
const FULL_MS = 100
const MOST_FULL_MS = 5_000
/** Tenants whose tasks are made at once, and batches whose files are written at once: of all tenants, and of one. */
const TENANTS_AT_ONCE = 8
const ENDS_AT_ONCE = 8
const ENDS_OF_TENANT = 2
const PAGE = 200

export class BatchOwner {
  readonly #deps: OwnerDeps
  readonly #calls: TaskCalls
  readonly #items: ReturnType<typeof createItemsStore>
  readonly #signal: AbortSignal
  readonly #mutex = new KeyedMutex()
  /** When there was news of a batch, or its tasks were asked last, by the monotonic clock. */
  readonly #newsAt = new Map<string, number>()
  /** Batches whose tasks are being stopped. */
  readonly #stopped = new Set<string>()
  /** Up to which index tasks may have been made of which there is no note, or may yet be made by a call that has failed. */
  readonly #attempted = new Map<string, number>()
  readonly #pauses: Pauses
  readonly #fullQueues: Pauses
  readonly #ends = createFairRuns(ENDS_AT_ONCE, ENDS_OF_TENANT)

  constructor(deps: OwnerDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#calls = createTaskCalls(deps.tasks, signal)
    this.#items = createItemsStore(deps.items)
    this.#signal = signal
    this.#pauses = createPauses(deps.clock, RETRY_MS, MOST_RETRY_MS)
    this.#fullQueues = createPauses(deps.clock, FULL_MS, MOST_FULL_MS)
  }

  /** Takes up what events say of the tasks of a batch. */
  async heard(tenant: string, id: string, changes: ItemChanges): Promise<void> {
    await this.#mutex.runExclusive(keyOf({ tenant, id }), async () => {
      const batch = await this.#deps.batches.get(tenant, id)
      if (batch === undefined || hasEnded(batch)) return
      const { items } = await this.#load(batch)
      await this.#save(batch, items, withStates(items, changes))
      this.#fullQueues.end(keyOf(batch))
    })
  }

  /** Takes every batch that has not ended a step on. What fails is tried again at a later pass. */
  async pass(): Promise<void> {
    const tenants = this.#activeByTenant()
    const work = async () => {
      for await (const batches of tenants) {
        const most = Math.max(CHUNK, Math.min(QUEUED_OF_BATCH, Math.floor(QUEUED_OF_TENANT / batches.length)))
        await Promise.all(batches.map(batch => this.#tryAdvance(batch, most)))
        if (this.#signal.aborted) return
      }
    }
    await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, work))
  }

  /** Resolves once no batch is being ended, after the signal. */
  async close(): Promise<void> {
    await this.#ends.close()
  }

  async *#activeByTenant(): AsyncGenerator<readonly BatchRecord[], void> {
    let after: string[] = []
    let tenant: BatchRecord[] = []
    for (;;) {
      const page = await this.#deps.batches.find('active', {
        equals: [],
        limit: PAGE,
        ...(after.length > 0 && { after }),
      })
      for (const batch of page) {
        if (tenant[0] !== undefined && tenant[0].tenant !== batch.tenant) {
          yield tenant
          tenant = []
        }
        tenant.push(batch)
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      after = [last.tenant, last.id]
    }
    if (tenant.length > 0) yield tenant
  }

  async #tryAdvance(listed: BatchRecord, most: number): Promise<void> {
    const { batches } = this.#deps
    const key = keyOf(listed)
    if (this.#pauses.has(key) || this.#ends.has(key)) return
    await this.#try(listed, async () => {
      const haveEnded = await this.#mutex.runExclusive(key, async () => {
        const batch = await batches.get(listed.tenant, listed.id)
        return batch !== undefined && !hasEnded(batch) && (await this.#advance(batch, most))
      })
      if (haveEnded) this.#ends.start(listed.tenant, key, () => this.#try(listed, () => this.#end(listed)))
      else this.#pauses.end(key)
    })
  }

  /** What fails is told once, and tried again after a pause. */
  async #try(batch: BatchRecord, work: () => Promise<void>): Promise<void> {
    const key = keyOf(batch)
    try {
      await work()
    } catch (error) {
      if (this.#signal.aborted) return
      const isAgain = this.#pauses.lengthen(key)
      this.#deps.log[isAgain ? 'debug' : 'warn']('batch.failed', { batch: batch.id, error })
      this.#items.forget(batch)
    }
  }

  /** Resolves with whether every task has ended. */
  async #advance(batch: BatchRecord, most: number): Promise<boolean> {
    const { clock } = this.#deps
    const key = keyOf(batch)
    let { items } = await this.#load(batch)
    if (batch.status === 'cancelling') items = await this.#cancel(batch, items)
    else if (clock.now() >= batch.expires_at)
      items = await this.#save(batch, items, withStates(items, allOf(items, 'waiting', 'expired')))
    else if (!this.#fullQueues.has(key)) items = await this.#make(batch, items, most)
    const newsAt = this.#newsAt.get(key) ?? clock.monotonic()
    if (clock.monotonic() - newsAt >= QUIET_MS) {
      this.#stopped.delete(key)
      items = await this.#look(batch, items, refsOf(items, 'queued', 'running', 'cancelling'))
    }
    return haveAllEnded(items)
  }

  async #make(batch: BatchRecord, before: BatchItems, most: number): Promise<BatchItems> {
    const key = keyOf(batch)
    const deps = { blobs: this.#deps.blobs, calls: this.#calls, items: this.#items }
    const { items, isFull } = await makeTasks(deps, batch, before, most)
    if (isFull) {
      this.#fullQueues.lengthen(key)
      this.#attempt(batch, items)
    } else this.#fullQueues.end(key)
    return items
  }

  /** Stops what runs and drops what waits. Nothing begins after that, however long calls before it are on their way. */
  async #cancel(batch: BatchRecord, before: BatchItems): Promise<BatchItems> {
    const key = keyOf(batch)
    let items = before
    if (!this.#stopped.has(key)) {
      const deps = { blobs: this.#deps.blobs, calls: this.#calls }
      const fenced = await fenceTasks(deps, batch, items, this.#attempted.get(key) ?? 0)
      items = await this.#look(batch, items, fenced)
    }
    items = await this.#save(batch, items, withStates(items, allOf(items, 'waiting', 'cancelled')))
    if (!this.#stopped.has(key)) await this.#calls.cancel(batch, refsOf(items, 'queued', 'running'))
    this.#stopped.add(key)
    return items
  }

  /** Notes that the next chunk is being made, or may be. */
  #attempt(batch: BatchRecord, { made }: BatchItems): void {
    const until = Math.min(batch.total, made + CHUNK)
    this.#attempted.set(keyOf(batch), Math.max(until, this.#attempted.get(keyOf(batch)) ?? 0))
  }

  /** After a crash of an owner before it, or a call that failed, a chunk may be made of which there is no note. */
  async #load(batch: BatchRecord): Promise<{ readonly items: BatchItems }> {
    const { items, isFirst } = await this.#items.load(batch)
    if (!isFirst) return { items }
    this.#attempt(batch, items)
    try {
      const unknown = await unknownItems(this.#deps.blobs, batch, items)
      const kinds = unknown.map(({ kind }) => kind)
      const known = batch.with_employees ? withKinds(items, kinds) : items
      const asked = [...refsOf(items, 'queued', 'running', 'cancelling'), ...unknown]
      return { items: await this.#save(batch, items, await this.#looked(batch, known, asked)) }
    } catch (error) {
      this.#items.forget(batch) // The next one is to look, too.
      throw error
    }
  }

  async #look(batch: BatchRecord, items: BatchItems, asked: readonly ItemRef[]): Promise<BatchItems> {
    return await this.#save(batch, items, await this.#looked(batch, items, asked))
  }

  /** Asks for the tasks themselves; the items after that, not saved. */
  async #looked(batch: BatchRecord, items: BatchItems, asked: readonly ItemRef[]): Promise<BatchItems> {
    const changes = new Map<number, ItemState>()
    for await (const { index, state } of this.#calls.get(batch, asked, false)) {
      if (state !== undefined) changes.set(index, state)
      else if (index < items.made) changes.set(index, 'failed')
    }
    this.#newsAt.set(keyOf(batch), this.#deps.clock.monotonic())
    return withStates(items, changes)
  }

  async #save(batch: BatchRecord, before: BatchItems, after: BatchItems): Promise<BatchItems> {
    if (after.states === before.states && after.kinds === before.kinds) return before
    this.#newsAt.set(keyOf(batch), this.#deps.clock.monotonic())
    const saved = await this.#items.save(after)
    const counts = countsOf(saved)
    await changeBatch(this.#deps, batch.tenant, batch.id, now => ({ ...now, counts }))
    return saved
  }

  /** Ends a batch whose tasks have all ended: nothing changes them any more. */
  async #end({ tenant, id }: BatchRecord): Promise<void> {
    const { clock, blobs, batches, taskFiles, retentionMs } = this.#deps
    const batch = await batches.get(tenant, id)
    if (batch === undefined || hasEnded(batch)) return
    const { items } = await this.#items.load(batch)
    const counts = countsOf(items)
    const finished_at = clock.now()
    const isLate = counts.expired > 0 && finished_at >= batch.expires_at
    const status: Status = batch.status === 'cancelling' ? 'cancelled' : isLate ? 'expired' : 'completed'
    const due_at = finished_at + retentionMs
    const results = { blobs, calls: this.#calls, taskFiles, signal: this.#signal }
    const files = await writeResults(results, { ...batch, counts }, items, { status, until: due_at })
    const key = keyOf(batch)
    await this.#calls.releaseInputs(batch)
    await this.#mutex.runExclusive(key, async () => {
      await changeBatch(this.#deps, tenant, id, now =>
        hasEnded(now) ? now : { ...now, ...files, status, counts, finished_at, due_at },
      )
      await blobs.delete(batch.lines)
      await this.#items.remove(batch)
      for (const known of [this.#newsAt, this.#stopped, this.#attempted]) known.delete(key)
      for (const pauses of [this.#pauses, this.#fullQueues]) pauses.end(key)
    })
  }
}

/** Every item in one state goes to another. */
const allOf = (items: BatchItems, from: ItemState, to: ItemState): ItemChanges =>
  new Map(indexesOf(items, from).map(index => [index, to]))

const refsOf = (items: BatchItems, ...states: readonly ItemState[]): ItemRef[] =>
  indexesOf(items, ...states).map(index => ({ index, kind: kindAt(items, index) }))
