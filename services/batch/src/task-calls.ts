/** The calls to the services that own the tasks of a batch. */

import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { BatchTaskState } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { TraceContext } from '@millhand/telemetry'
import type { BatchRecord } from './batch.ts'
import { addingTasks } from './batch-spans.ts'
import type { Item } from './item.ts'
import { type ItemKind, idPrefixes, itemKinds, type TaskClients } from './item-kind.ts'
import type { ItemState, Refusal } from './item-state.ts'
import { onBehalfOf, principalOf, unlessUnimplemented } from './on-behalf-of.ts'
import { taskIdOf } from './task-ids.ts'

/** Ids of one call. */
const PAGE = 500

/**
 * How long outputs are kept at least after the completion window, in milliseconds, so that the files of the batch have
 * them: as long as the longest run, and an hour.
 */
const KEPT_MS = 90_000_000

export interface IndexedItem {
  readonly index: number
  readonly item: Item
}

/** Names a task of a batch. */
export interface ItemRef {
  readonly index: number
  readonly kind: ItemKind
}

export interface ItemTask {
  readonly index: number
  readonly id: string
  /** Undefined where there is no such task. */
  readonly state: ItemState | undefined
  readonly found: BatchTaskState
}

interface Added {
  /** How many of the first are there now, or refused. For the next one others have to end first. */
  readonly taken: number
  /** Those that can't be made, by their index. */
  readonly refused: ReadonlyMap<number, Refusal>
}

export interface TaskCalls {
  /** Makes tasks; those that are there are left. `cancelled`, none of them ever runs, whatever earlier calls still make. */
  add(batch: BatchRecord, items: readonly IndexedItem[], how?: { readonly cancelled: boolean }): Promise<Added>
  /** How these tasks are, in their order. */
  get(batch: BatchRecord, items: readonly ItemRef[], outputs: boolean): AsyncGenerator<ItemTask, void>
  /** Cancels those that have not ended. Where one service fails, it rejects once the other has done its part. */
  cancel(batch: BatchRecord, items: readonly ItemRef[]): Promise<void>
  /** Lets the files and models of the account be removed that its tasks name. */
  releaseInputs(batch: BatchRecord): Promise<void>
}

export function createTaskCalls(clients: TaskClients, signal: AbortSignal): TaskCalls {
  const optionsOf = (batch: BatchRecord, trace?: TraceContext) =>
    onBehalfOf(principalOf(batch), signal, { requestId: batch.request_id, trace })

  interface Adding {
    readonly cancelled: boolean
    readonly trace: TraceContext | undefined
  }

  async function addOf(
    kind: ItemKind,
    batch: BatchRecord,
    items: readonly IndexedItem[],
    { cancelled, trace }: Adding,
  ) {
    if (items.length === 0) return { open: undefined, refused: [] }
    const { completion_window_s } = batch
    const asked = items.map(({ index, item: { request } }) => {
      const most = request.kind.case === 'task' ? request.kind.value.queueTimeoutS : undefined
      const queueTimeoutS = Math.min(most ?? completion_window_s, completion_window_s)
      return { id: taskIdOf(idPrefixes[kind], batch.id, index), request, queueTimeoutS }
    })
    const acceptedAt = timestampFromMs(batch.accepted_at ?? batch.created_at)
    const keepUntil = timestampFromMs(batch.expires_at + KEPT_MS)
    const request = { batchId: batch.id, tasks: asked, cancelled, acceptedAt, keepUntil }
    const answer = await clients[kind].addTasks(request, optionsOf(batch, trace))
    const refused = answer.refused.map(({ index, code, message }): [number, Refusal] => [
      items[index]?.index ?? 0,
      { code, message },
    ])
    return { open: items[answer.taken], refused }
  }

  async function* getOf(kind: ItemKind, batch: BatchRecord, indexes: readonly number[], outputs: boolean) {
    for (let at = 0; at < indexes.length; ) {
      const page = indexes.slice(at, at + PAGE)
      const ids = page.map(index => taskIdOf(idPrefixes[kind], batch.id, index))
      const answer = await clients[kind].getTasks({ ids, outputs }, optionsOf(batch))
      if (answer.tasks.length === 0) throw new Error('an answer has no task at all')
      for (const [n, found] of answer.tasks.entries())
        yield { index: page[n] as number, id: found.id, state: states[found.status], found }
      at += answer.tasks.length
    }
  }

  const indexesOf = (kind: ItemKind, items: readonly ItemRef[]) =>
    items.filter(item => item.kind === kind).map(({ index }) => index)

  return {
    async add(batch, items, { cancelled } = { cancelled: false }) {
      const added = await addingTasks(batch, items.length, trace =>
        allSettled(itemKinds, async kind => {
          const own = items.filter(({ item }) => item.kind === kind)
          return await addOf(kind, batch, own, { cancelled, trace })
        }),
      )
      const open = added.map(one => one.open && items.indexOf(one.open)).filter(at => at !== undefined)
      return { taken: Math.min(items.length, ...open), refused: new Map(added.flatMap(one => one.refused)) }
    },

    async *get(batch, items, outputs) {
      const answers = {
        compute: getOf('compute', batch, indexesOf('compute', items), outputs),
        workforce: getOf('workforce', batch, indexesOf('workforce', items), outputs),
      }
      for (const { kind } of items) yield (await answers[kind].next()).value as ItemTask
    },

    async cancel(batch, items) {
      await allSettled(itemKinds, async kind => {
        const ids = indexesOf(kind, items).map(index => taskIdOf(idPrefixes[kind], batch.id, index))
        for (let at = 0; at < ids.length; at += PAGE)
          await clients[kind].cancelTasks({ ids: ids.slice(at, at + PAGE) }, optionsOf(batch))
      })
    },

    async releaseInputs(batch) {
      await unlessUnimplemented(clients.compute.releaseInputs({ batchId: batch.id }, optionsOf(batch)))
    },
  }
}

/** Rejects with the first failure once the work for every one has ended. */
export async function allSettled<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results = await Promise.allSettled(all.map(work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return results.map(result => (result as PromiseFulfilledResult<R>).value)
}

const states: Readonly<Record<TaskStatus, ItemState | undefined>> = {
  [TaskStatus.UNSPECIFIED]: undefined,
  [TaskStatus.QUEUED]: 'queued',
  [TaskStatus.RUNNING]: 'running',
  [TaskStatus.CANCELLING]: 'cancelling',
  [TaskStatus.SUCCEEDED]: 'succeeded',
  [TaskStatus.FAILED]: 'failed',
  [TaskStatus.CANCELLED]: 'cancelled',
  [TaskStatus.EXPIRED]: 'expired',
}
