/** What a task of any kind has and lives through: compute's tasks, and those of the workforce. */
import type { KeyMode } from '@millhand/api'
import type { Failure, FencingToken, Work } from '@millhand/lease'
import type { Callback } from './callback.ts'
import type { Lines, LinesState } from './lines.ts'
import type { Batch, Progress } from './stream/emission.ts'
import type { HistoryEntry } from './stream/history.ts'
import type { TaskStatus } from './task-status.ts'

/** The part of a task's record that its life is about. A service's own record extends it. */
export interface TaskBase extends Work {
  readonly account_id: string
  readonly mode: KeyMode
  readonly status: TaskStatus
  /** The input itself while it is small, else where it lies. Neither once the data is removed. */
  readonly input?: string | undefined
  readonly input_blob?: string | undefined
  /** Options for its runs, as executors get them. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
  /** The batch that it came in: it ranks behind all tasks that came by themselves. */
  readonly batch_id?: string | undefined
  /** In the place of a task that a call on its way may yet make: cancelled with its batch, it never runs, and has no place in a quota. */
  readonly is_fence?: true | undefined
  /** Until when its data is kept at least: its batch has yet to write it to a file. */
  readonly keep_until?: number | undefined
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
  /** Of a task whose input is JSON Lines, which run one after the other. */
  readonly lines?: Lines | undefined
  readonly lines_state?: LinesState | undefined
  /** Where a run has stored how far it is, which the next attempt goes on from; of a task that has not ended. */
  readonly checkpoint?: Checkpoint | undefined
  readonly error?: Failure | undefined
  readonly progress?: Progress | undefined
  /** The time of its id, by which lists are sorted and filtered. Milliseconds since 1970, like every time here. */
  readonly created_at: number
  readonly started_at?: number | undefined
  readonly finished_at?: number | undefined
  readonly cancel_requested_at?: number | undefined
  readonly data_expires_at?: number | undefined
  readonly data_deleted_at?: number | undefined
  readonly resource_version: number
  /** Changes of state, the oldest first: every one, up to a bound that only returns and evictions can reach. */
  readonly history: readonly HistoryEntry[]
  /** What all its runs have emitted, where they have: a size that limits are set by. */
  readonly emitted_bytes?: number | undefined
  /** What its run may have cost by now, as its executor said before that was spent: millionths of a dollar. */
  readonly reserved_micros?: number | undefined
  /** What the attempt that ended it costs, in millionths of a dollar. */
  readonly cost_micros?: number | undefined
  readonly request_id?: string | undefined
  /** The trace of the request that made it: every event of it, and every run, is part of that. */
  readonly traceparent?: string | undefined
}

/** A state of a run, in a blob. */
interface Checkpoint {
  readonly blob: string
  readonly bytes: number
}

/** The mode of a tenant: `<account>/<mode>`. Throws for what is none. */
export function modeOf(tenant: string): KeyMode {
  const mode = tenant.slice(tenant.indexOf('/') + 1)
  if (mode === 'live' || mode === 'test') return mode
  throw new Error(`${JSON.stringify(tenant)} is no tenant`)
}

const alive: ReadonlySet<string> = new Set(['queued', 'running', 'cancelling'])
/** Whether a task, or an entry of its history, is in a state that nothing leaves. */
export const hasEnded = (task: { readonly status: string }): boolean => !alive.has(task.status)

/** Runs begun so far. */
export const runsBegun = (task: TaskBase): number => task.attempt - task.returns

/** When it began to wait. */
export const acceptedAt = (task: TaskBase): number => task.history[0]?.at ?? task.created_at

/** When a queued task that was never run expires. */
export const queueExpiresAt = (task: TaskBase): number => acceptedAt(task) + task.queue_timeout_s * 1000

/** Until when the data of a task that ends is kept. */
export const dataExpiresAt = (
  { keep_until = 0 }: Pick<TaskBase, 'keep_until'>,
  endsAt: number,
  retentionMs: number,
): number => Math.max(endsAt + retentionMs, keep_until)

/** What its run and its owner do to it, beside leasing. */
export interface EmittedCause {
  readonly kind: 'emitted'
  readonly held: FencingToken
  readonly batch: Batch
}
export interface ReservedCause {
  readonly kind: 'reserved'
  readonly held: FencingToken
  readonly cost_micros: number
}
export interface CheckpointStoredCause {
  readonly kind: 'checkpoint_stored'
  readonly held: FencingToken
  readonly checkpoint: Checkpoint
}
export interface CancelCause {
  readonly kind: 'cancel'
}
export interface DataDeletedCause {
  readonly kind: 'data_deleted'
}
