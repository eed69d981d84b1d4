/** The steps of one batch: its tasks are made, followed by their events, and stopped, and then it ends. */
import { isDeepStrictEqual } from 'node:util'
import { type BatchRecord, hasEnded } from './batch.ts'
import { endingBatch } from './batch-spans.ts'
import { changeBatch } from './batch-store.ts'
import { type EndDeps, endBatch } from './end-batch.ts'
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
import { type PlanChangesDeps, withLastPlans } from './plan-changes.ts'
import { allSettled, createTaskCalls, type ItemRef } from './task-calls.ts'
import { CHUNK, fenceTasks, makeTasks, unknownItems } from './task-maker.ts'

export interface BatchStepDeps extends Omit<EndDeps, 'calls' | 'signal'>, Pick<PlanChangesDeps, 'changedPlans'> {
  readonly items: ItemsCollection
  readonly tasks: TaskClients
}

/** The states in the events of the tasks of one batch, by index. The latest counts. */
export type ItemChanges = ReadonlyMap<number, ItemState>

/** Not to be called for one batch twice at once. */
export interface BatchSteps {
  /**
   * Applies what events say, then makes, expires or stops tasks. At most `most` tasks wait after it. Resolves with
   * whether every task has ended, and else with how many milliseconds later the next step is due without news.
   */
  advance(batch: BatchRecord, news: ItemChanges, most: number): Promise<Advanced>
  /** Ends a batch whose tasks have all ended: nothing changes them any more. */
  end(batch: BatchRecord): Promise<void>
  /** After a step that failed: the next one asks for the tasks themselves. */
  forget(batch: Pick<BatchRecord, 'tenant' | 'id'>): void
}

type Advanced = { readonly hasEnded: true } | { readonly hasEnded: false; readonly nextInMs: number }

/** After so long without news the tasks themselves are asked; each time that nothing has changed after twice as long. */
const QUIET_MS = 30_000
const MOST_QUIET_MS = 1_800_000
/** Where the queue is full and no event of the batch comes, it is tried again after this at first, and at most. */
const FULL_MS = 100
const MOST_FULL_MS = 5_000

export function createBatchSteps(deps: BatchStepDeps, signal: AbortSignal): BatchSteps {
  const { clock, blobs, batches } = deps
  const calls = createTaskCalls(deps.tasks, signal)
  const itemsStore = createItemsStore(deps.items)
  const looks = createPauses(clock, QUIET_MS, MOST_QUIET_MS)
  const { save, look, lookAtAll } = createItemUpdates(deps, calls, itemsStore, looks)
  const fullQueues = createPauses(clock, FULL_MS, MOST_FULL_MS)
  /** Batches whose tasks were all cancelled. */
  const stopped = new Set<string>()
  /** Up to which index tasks may have been made of which there is no note, or may yet be made by a call that has failed. */
  const attempted = new Map<string, number>()

  async function make(batch: BatchRecord, before: BatchItems, most: number): Promise<BatchItems> {
    const key = keyOf(batch)
    const { items, isFull } = await makeTasks({ blobs, calls, save }, batch, before, most)
    if (isFull) {
      fullQueues.lengthen(key)
      attempt(batch, items)
    } else fullQueues.end(key)
    return items
  }

  /**
   * Stops what runs and what waits: first what is known, then what calls before it may have made, or may yet make. Of two
   * services that have tasks of the batch, one that is away does not keep the tasks of the other running.
   */
  async function stop(batch: BatchRecord, items: BatchItems): Promise<readonly ItemRef[]> {
    const until = attempted.get(keyOf(batch)) ?? 0
    const [fenced = []] = await allSettled(
      [
        () => fenceTasks({ blobs, calls }, batch, items, until),
        () => calls.cancel(batch, refsOf(items, 'queued', 'running')).then(() => []),
      ],
      work => work(),
    )
    return fenced
  }

  /** Notes that the next chunk is being made, or may be. */
  function attempt(batch: BatchRecord, { made }: BatchItems): void {
    const until = Math.min(batch.total, made + CHUNK)
    attempted.set(keyOf(batch), Math.max(until, attempted.get(keyOf(batch)) ?? 0))
  }

  /** Milliseconds until a batch needs a step though there is no news of it. */
  function nextStepOf(batch: BatchRecord, items: BatchItems): number {
    const key = keyOf(batch)
    if (batch.status === 'cancelling') return stopped.has(key) ? looks.left(key) : 0
    const waits = [looks.left(key)]
    if (items.made < batch.total) waits.push(Math.max(0, batch.expires_at - clock.now()))
    if (fullQueues.has(key)) waits.push(fullQueues.left(key))
    return Math.min(...waits)
  }

  return {
    async advance(before, news, most) {
      const key = keyOf(before)
      const { items: loaded, isFirst } = await itemsStore.load(before)
      const batch = isFirst ? await withLastPlans(deps, before) : before
      if (isFirst) attempt(batch, loaded)
      const isStopping = batch.status === 'cancelling' && !stopped.has(key)
      let items = isFirst ? loaded : await save(batch, loaded, withStates(loaded, news))
      const fenced = isStopping ? await stop(batch, items) : []
      if (news.size > 0) fullQueues.end(key)
      if (isFirst) {
        items = await lookAtAll(batch, items)
        items = await save(batch, items, withStates(items, news))
      }
      if (isStopping) items = await look(batch, items, fenced)
      if (batch.status === 'cancelling') {
        items = await save(batch, items, withStates(items, allOf(items, 'waiting', 'cancelled')))
        stopped.add(key)
      } else if (clock.now() >= batch.expires_at)
        items = await save(batch, items, withStates(items, allOf(items, 'waiting', 'expired')))
      else if (!fullQueues.has(key)) items = await make(batch, items, most)
      if (!looks.has(key)) {
        stopped.delete(key)
        looks.lengthen(key)
        items = await look(batch, items, refsOf(items, 'queued', 'running', 'cancelling'))
      }
      return haveAllEnded(items) ? { hasEnded: true } : { hasEnded: false, nextInMs: nextStepOf(batch, items) }
    },

    async end({ tenant, id }) {
      const batch = await batches.get(tenant, id)
      if (batch === undefined || hasEnded(batch)) return
      const { items } = await itemsStore.load(batch)
      await endingBatch(batch, endBatch({ ...deps, calls, signal }, batch, items))
      await itemsStore.remove(batch)
      const key = keyOf(batch)
      for (const known of [stopped, attempted]) known.delete(key)
      for (const pauses of [looks, fullQueues]) pauses.end(key)
    },

    forget: batch => itemsStore.forget(batch),
  }
}

/** Writes what is known of the items of batches, and asks for their tasks. */
function createItemUpdates(
  deps: BatchStepDeps,
  calls: ReturnType<typeof createTaskCalls>,
  itemsStore: ReturnType<typeof createItemsStore>,
  looks: Pauses,
) {
  const { clock, blobs } = deps
  /** There is news of a batch: its tasks are not asked for a while. */
  const heard = (batch: BatchRecord) => {
    looks.end(keyOf(batch))
    looks.lengthen(keyOf(batch))
  }

  /** After a crash of an owner before it, or a call that failed, a chunk may be made of which there is no note. */
  async function lookAtAll(batch: BatchRecord, items: BatchItems): Promise<BatchItems> {
    const unknown = await unknownItems(blobs, batch, items)
    const kinds = unknown.map(({ kind }) => kind)
    const known = batch.with_employees ? withKinds(items, kinds) : items
    const asked = [...refsOf(items, 'queued', 'running', 'cancelling'), ...unknown]
    heard(batch)
    return await save(batch, items, await looked(batch, known, asked))
  }

  const look = async (batch: BatchRecord, items: BatchItems, asked: readonly ItemRef[]): Promise<BatchItems> =>
    await save(batch, items, await looked(batch, items, asked))

  /** Asks for the tasks themselves; the items after that, not saved. */
  async function looked(batch: BatchRecord, items: BatchItems, asked: readonly ItemRef[]): Promise<BatchItems> {
    const changes = new Map<number, ItemState>()
    for await (const { index, state } of calls.get(batch, asked, false)) {
      if (state !== undefined) changes.set(index, state)
      else if (index < items.made) changes.set(index, 'failed')
    }
    return withStates(items, changes)
  }

  async function save(batch: BatchRecord, before: BatchItems, after: BatchItems): Promise<BatchItems> {
    const isChanged = after.states !== before.states || after.kinds !== before.kinds || after.made !== before.made
    if (!isChanged) return before
    heard(batch)
    const saved = await itemsStore.save(after)
    const counts = countsOf(saved)
    // Tasks that are made count as queued before it, too.
    if (isDeepStrictEqual(counts, countsOf(before))) return saved
    const ended = haveAllEnded(saved) ? { tasks_ended_at: clock.now() } : {}
    await changeBatch(deps, batch.tenant, batch.id, now => ({ ...now, counts, ...ended }))
    return saved
  }

  return { save, look, lookAtAll }
}

/** Every item in one state goes to another. */
const allOf = (items: BatchItems, from: ItemState, to: ItemState): ItemChanges =>
  new Map(indexesOf(items, from).map(index => [index, to]))

const refsOf = (items: BatchItems, ...states: readonly ItemState[]): ItemRef[] =>
  indexesOf(items, ...states).map(index => ({ index, kind: kindAt(items, index) }))
