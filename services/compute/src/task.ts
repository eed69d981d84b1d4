/** A task as compute stores it. REST shows the part that `to-message.ts` picks. */
import type { KeyMode } from '@millhand/api'
import { type Failure, type Held, type Work, workIndexes } from '@millhand/lease'
import type { CollectionSpec } from '@millhand/store'
import type { Callback } from './callback.ts'
import type { Batch, Progress } from './stream/emission.ts'
import type { HistoryEntry } from './stream/history.ts'

export type TaskStatus = 'queued' | 'running' | 'cancelling' | 'succeeded' | 'failed' | 'cancelled' | 'expired'

/** The mode of a tenant: `<account>/<mode>`. Throws for what is none. */
export function modeOf(tenant: string): KeyMode {
  const mode = tenant.slice(tenant.indexOf('/') + 1)
  if (mode === 'live' || mode === 'test') return mode
  throw new Error(`${JSON.stringify(tenant)} is no tenant`)
}

/** The pool of a mode's tasks: live and test work never share one. */
export const poolOf = (mode: KeyMode): string => `${mode}/onnx`

export interface TaskRecord extends Work {
  readonly account_id: string
  readonly mode: KeyMode
  /** The account's compute plan when it was made. */
  readonly plan: string
  readonly type: 'inference'
  /** The model's id; `group` in the words of leasing. */
  readonly group: string
  readonly model_version: string
  readonly status: TaskStatus
  /** The input itself while it is small, else where it lies. Neither once the data is removed. */
  readonly input?: string | undefined
  readonly input_blob?: string | undefined
  /** The file that is the input, and its size. */
  readonly input_file?: string | undefined
  readonly input_file_bytes?: number | undefined
  /** Set while the task is alive and has an input file: that is not removed meanwhile. */
  readonly uses_file?: 'yes' | undefined
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
  readonly metadata: Readonly<Record<string, string>>
  readonly callback?: Callback | undefined
  readonly queue_timeout_s: number
  readonly run_timeout_s: number
  readonly max_attempts: number
  /** Runs that cost no attempt, because a neighbour in the batch ended them. */
  readonly evictions: number
  /** Claims that were given back before a run began. They count in `attempt`, which fences, and nowhere else. */
  readonly returns: number
  /** JSON text. */
  readonly output?: string | undefined
  /** The file that has the output, where it is too large for the record. */
  readonly output_file?: string | undefined
  readonly error?: Failure | undefined
  readonly usage?: {
    readonly queue_ms: number
    readonly compute_ms: number
    readonly gpu_type: string
    readonly items: number
  }
  /** Millionths of the currency's unit. */
  readonly cost_micros?: number | undefined
  readonly progress?: Progress | undefined
  readonly engine?: { readonly kind: string; readonly name: string; readonly provider: string } | undefined
  /** The time of its id, by which lists are sorted and filtered. Milliseconds since 1970, like every time here. */
  readonly created_at: number
  readonly started_at?: number | undefined
  readonly finished_at?: number | undefined
  readonly cancel_requested_at?: number | undefined
  readonly data_expires_at?: number | undefined
  readonly data_deleted_at?: number | undefined
  readonly resource_version: number
  /** Every change of state, the oldest first. */
  readonly history: readonly HistoryEntry[]
  /** What all its runs have emitted, where they have: a size that limits are set by. */
  readonly emitted_bytes?: number | undefined
  readonly request_id?: string | undefined
}

export const tasksSpec = {
  name: 'tasks',
  indexes: {
    ...workIndexes,
    input_file: { fields: ['tenant', 'input_file'], when: { field: 'uses_file', in: ['yes'] } },
  },
} as const satisfies CollectionSpec

export type TaskIndex = keyof typeof tasksSpec.indexes

const alive: ReadonlySet<string> = new Set(['queued', 'running', 'cancelling'])
export const hasEnded = (task: { readonly status: string }): boolean => !alive.has(task.status)

/** Runs begun so far. */
export const runsBegun = (task: TaskRecord): number => task.attempt - task.returns

/** When it began to wait. */
export const acceptedAt = (task: TaskRecord): number => task.history[0]?.at ?? task.created_at

/** When a queued task that was never run expires. */
export const queueExpiresAt = (task: TaskRecord): number => acceptedAt(task) + task.queue_timeout_s * 1000

/** What its run and its owner do to it, beside leasing. */
export interface EmittedCause {
  readonly kind: 'emitted'
  readonly held: Held
  readonly batch: Batch
}
export interface CancelCause {
  readonly kind: 'cancel'
}
export interface DataDeletedCause {
  readonly kind: 'data_deleted'
}
