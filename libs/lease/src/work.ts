/** What leased work is, whatever it does: compute's tasks, workforce tasks, webhook deliveries. */
import type { Document, Index, OutboxEvent } from '@millhand/store'

export interface Work extends Document {
  /** Who may claim it, for example `live/onnx`. */
  readonly pool: string
  /** Work of one group may share a run: the model's id. */
  readonly group: string
  /** 0 before 1 before 2 before 3, within the tenant. */
  readonly rank: number
  /** `queued`, `running` and `cancelling` are alive; every other status is an end. */
  readonly status: string
  /** Shares no run: it was in one that was stopped or crashed. Left out where it may, to store less. */
  readonly alone?: boolean | undefined
  /** Of a retry that waits: for how long, in milliseconds, counted by the pool's owner. Else 0. */
  readonly backoff_ms: number
  /** While it is alive: when it expires in the queue (ms since 1970), `countedByOwner`, or `noDueTime`. */
  readonly due_at: number
  /** The fencing token; empty when no one holds it. */
  readonly lease_id: string
  /** Runs begun so far: the second half of the fence. */
  readonly attempt: number
  /** The trace that it is part of, where there is one: W3C's `traceparent`. */
  readonly traceparent?: string | undefined
}

/** For `due_at`: a lease or a backoff, whose end the pool's owner counts by its monotonic clock. Before every time. */
export const countedByOwner = 0

/** For `due_at`: nothing will fall due by itself. */
export const noDueTime = 253_402_300_799_999

export const workIndexes = {
  ready: {
    fields: ['pool', 'tenant', 'rank', 'backoff_ms', 'id'],
    when: { field: 'status', in: ['queued'] },
  },
  due: {
    fields: ['pool', 'due_at', 'tenant', 'id'],
    when: { field: 'status', in: ['queued', 'running', 'cancelling'] },
  },
} as const satisfies Record<string, Index>

/** Proof that an executor holds a run. Both halves must be the live ones. */
export interface FencingToken {
  readonly lease_id: string
  readonly attempt: number
}

export interface Failure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}

/** A file of what a run had done, kept until then: milliseconds since 1970. */
interface KeptFile {
  readonly file: string
  readonly kept_until: number
}

/** How a run ended. */
export type Outcome =
  /** `output` is JSON text. */
  | { readonly kind: 'output'; readonly output: string }
  /** The output is in a file, which is kept until then: milliseconds since 1970. */
  | { readonly kind: 'output_file'; readonly file: string; readonly kept_until: number }
  | { readonly kind: 'failure'; readonly failure: Failure; readonly partial?: KeptFile }
  | { readonly kind: 'cancelled'; readonly partial?: KeptFile }
  /** A neighbour in its run ended it. */
  | { readonly kind: 'evicted' }
  /** Given back before its run began. */
  | { readonly kind: 'returned' }

export interface RunReport {
  readonly compute_ms: number
  /** The version of the group that ran; empty when none did. */
  readonly group_version: string
  readonly engine_kind: string
  readonly engine_name: string
  readonly provider: string
  /** What usage counts it as; the processor where it is not said. */
  readonly gpu_type?: string
  /** The instance of the work's owner that ran it, where its executor is in one. */
  readonly instance_id?: string
  /** Of what language models did: tokens read and written, and what they cost, in millionths of a dollar. */
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly model_cost_micros?: number
  /** Files that the output names. */
  readonly artifact_files?: readonly string[]
  /** How many inputs it ran; one where it is not said. */
  readonly items?: number
}

/** What leasing does to work. The owner of the work decides, in one pure function, what comes of it. */
export type LeaseCause =
  | { readonly kind: 'claimed'; readonly lease_id: string }
  | { readonly kind: 'finished'; readonly held: FencingToken; readonly outcome: Outcome; readonly report: RunReport }
  /** Its executor is gone, or stands still. */
  | { readonly kind: 'lease_ended'; readonly held: FencingToken }
  | { readonly kind: 'backoff_ended' }
  /** `due_at` has passed. */
  | { readonly kind: 'due' }

/** Why a cause changes nothing, in a word of the work's own. */
export interface Refusal {
  readonly refused: string
}

export const refuse = (refused: string): Refusal => ({ refused })
export const isRefusal = (value: object): value is Refusal => 'refused' in value

export interface StateMachine<T extends Work, C> {
  /** The work after the cause, or why it can't be. Pure. Its `version` is ignored. */
  transition(work: T, cause: C, now: number): T | Refusal
  /** The events that the change makes; none when its state stays. */
  events(before: T, after: T, now: number): readonly OutboxEvent[]
}
