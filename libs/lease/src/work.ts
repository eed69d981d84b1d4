/** What leased work is, whatever it does: compute's tasks, workforce tasks, webhook deliveries. */
import type { Document, Index, OutboxEvent } from '@millhand/store'

export interface Work extends Document {
  /** Who may claim it, for example `live/onnx`. */
  readonly pool: string
  /** Work of one group may share a run: the model's id. */
  readonly group: string
  /** 0 before 1 before 2, within the tenant. */
  readonly rank: number
  /** `queued`, `running` and `cancelling` are alive; every other status is an end. */
  readonly status: string
  /** Shares no run: it was in one that was stopped or crashed. */
  readonly alone: boolean
  /**
   * 0 when it can be claimed at once; else the end of a retry's backoff (ms since 1970), when the sweeper makes it 0.
   * Work that is new has 0 and not its creation: a clock that is set back must not keep it waiting.
   */
  readonly ready_at: number
  /** When the sweeper looks at it while it is alive: queue expiry, end of a backoff, end of its lease. */
  readonly due_at: number
  /** The fencing token; empty when no one holds it. */
  readonly lease_id: string
  readonly lease_until: number
  /** Runs begun so far: the second half of the fence. */
  readonly attempt: number
}

/** For `due_at`: nothing will fall due by itself. */
export const noDueTime = 253_402_300_799_999

export const workIndexes = {
  ready: {
    fields: ['pool', 'tenant', 'rank', 'ready_at', 'id'],
    when: { field: 'status', in: ['queued'] },
  },
  due: {
    fields: ['pool', 'due_at', 'tenant', 'id'],
    when: { field: 'status', in: ['queued', 'running', 'cancelling'] },
  },
} as const satisfies Record<string, Index>

/** Proof that an executor holds a run. Both halves must be the live ones. */
export interface Held {
  readonly lease_id: string
  readonly attempt: number
}

export interface Failure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}

/** How a run ended. */
export type Outcome =
  /** `output` is JSON text. */
  | { readonly kind: 'output'; readonly output: string }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }
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
}

/** What leasing does to work. The owner of the work decides, in one pure function, what comes of it. */
export type LeaseCause =
  | { readonly kind: 'claimed'; readonly lease_id: string; readonly lease_until: number }
  | {
      readonly kind: 'renewed'
      readonly held: Held
      readonly lease_until: number
      readonly progress?: { readonly fraction: number; readonly message?: string }
    }
  | { readonly kind: 'finished'; readonly held: Held; readonly outcome: Outcome; readonly report: RunReport }
  /** `due_at` has passed. */
  | { readonly kind: 'due' }

/** Why a cause changes nothing. */
export interface Refusal {
  readonly refused: 'not_queued' | 'not_ready' | 'not_due' | 'stale_lease' | 'already_ended' | 'not_ended'
}

export const refuse = (refused: Refusal['refused']): Refusal => ({ refused })
export const isRefusal = (value: object): value is Refusal => 'refused' in value

export interface Machine<T extends Work, C> {
  /** The work after the cause, or why it can't be. Pure. Its `version` is ignored. */
  transition(work: T, cause: C, now: number): T | Refusal
  /** The events that the change makes; none when its state stays. */
  events(before: T, after: T, now: number): readonly OutboxEvent[]
}
