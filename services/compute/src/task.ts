/** A task as compute stores it. REST shows the part that `to-message.ts` picks. */
import { type Failure, type Work, workIndexes } from '@millhand/lease'
import type { CollectionSpec } from '@millhand/store'

export type TaskStatus = 'queued' | 'running' | 'cancelling' | 'succeeded' | 'failed' | 'cancelled' | 'expired'

export interface TaskRecord extends Work {
  readonly account_id: string
  readonly mode: 'live' | 'test'
  readonly type: 'inference'
  /** The model's id; `group` in the words of leasing. */
  readonly group: string
  readonly model_version: string
  readonly status: TaskStatus
  /** The input itself while it is small, else where it lies. Neither once the data is removed. */
  readonly input?: string | undefined
  readonly input_blob?: string | undefined
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
  readonly metadata: Readonly<Record<string, string>>
  readonly queue_timeout_s: number
  readonly run_timeout_s: number
  readonly max_attempts: number
  /** Runs that cost no attempt, because a neighbour in the batch ended them. */
  readonly evictions: number
  /** Claims that were given back before a run began. They count in `attempt`, which fences, and nowhere else. */
  readonly returns: number
  /** JSON text. */
  readonly output?: string | undefined
  readonly error?: Failure | undefined
  readonly usage?: {
    readonly queue_ms: number
    readonly compute_ms: number
    readonly gpu_type: string
    readonly items: number
  }
  /** Millionths of the currency's unit. */
  readonly cost_micros?: number | undefined
  readonly progress?: { readonly fraction: number; readonly message?: string } | undefined
  readonly engine?: { readonly kind: string; readonly name: string; readonly provider: string } | undefined
  /** Milliseconds since 1970, like every time here. */
  readonly created_at: number
  readonly started_at?: number | undefined
  readonly finished_at?: number | undefined
  readonly cancel_requested_at?: number | undefined
  readonly data_expires_at?: number | undefined
  readonly data_deleted_at?: number | undefined
  readonly resource_version: number
  readonly request_id?: string | undefined
}

export const tasksSpec = { name: 'tasks', indexes: workIndexes } as const satisfies CollectionSpec

const alive: ReadonlySet<string> = new Set(['queued', 'running', 'cancelling'])
export const hasEnded = (task: { readonly status: string }): boolean => !alive.has(task.status)

/** Runs begun so far. */
export const runsBegun = (task: TaskRecord): number => task.attempt - task.returns

/** When a queued task that was never run expires. */
export const queueExpiresAt = (task: TaskRecord): number => task.created_at + task.queue_timeout_s * 1000

/** What leasing and the task's owner do to it. */
export interface CancelCause {
  readonly kind: 'cancel'
}
export interface DataDeletedCause {
  readonly kind: 'data_deleted'
}
