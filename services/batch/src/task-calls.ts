/** The calls to the service that owns the tasks of a batch. */
import type { Client } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import type { BatchTaskService, BatchTaskState } from '@millhand/api/gen/millhand/compute/v1/batch_task_service_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { BatchRecord } from './batch.ts'
import type { Item } from './item.ts'
import type { ItemState, Refusal } from './item-state.ts'
import { onBehalfOf, principalOf } from './on-behalf-of.ts'
import { taskIdOf } from './task-ids.ts'

/** Ids of one call. */
const PAGE = 500

export interface IndexedItem {
  readonly index: number
  readonly item: Item
}

export interface ItemTask {
  readonly index: number
  readonly id: string
  /** Undefined where there is no such task. */
  readonly state: ItemState | undefined
  readonly found: BatchTaskState
}

export interface TaskCalls {
  /** Makes tasks; those that are there are left. Resolves with those that can't be made, or `full` where others have to end first. */
  add(batch: BatchRecord, items: readonly IndexedItem[]): Promise<ReadonlyMap<number, Refusal> | 'full'>
  /** How the tasks at these indexes are, in their order. */
  get(batch: BatchRecord, indexes: readonly number[], outputs: boolean): AsyncGenerator<ItemTask, void>
  /** Cancels those that have not ended. */
  cancel(batch: BatchRecord, indexes: readonly number[]): Promise<void>
}

export function createTaskCalls(tasks: Client<typeof BatchTaskService>, signal: AbortSignal): TaskCalls {
  const idsOf = (batch: BatchRecord, indexes: readonly number[]) =>
    indexes.map(index => taskIdOf('task', batch.id, index))
  const optionsOf = (batch: BatchRecord) => onBehalfOf(principalOf(batch), signal, batch.request_id)

  return {
    async add(batch, items) {
      const asked = items.map(({ index, item }) => {
        const { queueTimeoutS: most = batch.completion_window_s } = item.task
        const queueTimeoutS = Math.min(most, batch.completion_window_s)
        return { id: taskIdOf('task', batch.id, index), task: { ...item.task, queueTimeoutS } }
      })
      try {
        const { refused } = await tasks.addTasks({ batchId: batch.id, tasks: asked }, optionsOf(batch))
        return new Map(refused.map(({ index, code, message }) => [items[index]?.index ?? 0, { code, message }]))
      } catch (error) {
        if (codeOf(error) === 'queue_full') return 'full'
        throw error
      }
    },

    async *get(batch, indexes, outputs) {
      for (let at = 0; at < indexes.length; ) {
        const page = indexes.slice(at, at + PAGE)
        const answer = await tasks.getTasks({ ids: idsOf(batch, page), outputs }, optionsOf(batch))
        if (answer.tasks.length === 0) throw new Error('an answer has no task at all')
        for (const [n, found] of answer.tasks.entries())
          yield { index: page[n] as number, id: found.id, state: states[found.status], found }
        at += answer.tasks.length
      }
    },

    async cancel(batch, indexes) {
      for (let at = 0; at < indexes.length; at += PAGE)
        await tasks.cancelTasks({ ids: idsOf(batch, indexes.slice(at, at + PAGE)) }, optionsOf(batch))
    },
  }
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
