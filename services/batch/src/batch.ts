/** A batch as the service stores it. REST shows the part that `batch-message.ts` picks. */
import { fail, type Id, type KeyMode, type PlanNames } from '@millhand/api'
import type { Collection, CollectionSpec, Document } from '@millhand/store'
import type { ItemCounts, Refusal } from './item-state.ts'

export type Status = 'running' | 'cancelling' | 'completed' | 'cancelled' | 'expired'

/** Times are milliseconds since 1970. */
export interface BatchRecord extends Document {
  readonly id: Id<'batch'>
  readonly account_id: string
  readonly mode: KeyMode
  readonly status: Status
  /** The account's, when it was made or has changed them last. */
  readonly plans: PlanNames
  readonly total: number
  /** Whether some of its tasks are of employees. */
  readonly with_employees: boolean
  readonly counts: ItemCounts
  /** The blob of its lines; there until it has ended. */
  readonly lines: string
  readonly lines_bytes: number
  readonly input_file?: string | undefined
  readonly output_file?: string | undefined
  readonly error_file?: string | undefined
  /** Why its files are not whole. */
  readonly results_error?: Refusal | undefined
  readonly completion_window_s: number
  readonly metadata: Readonly<Record<string, string>>
  /** The time of its id. */
  readonly created_at: number
  /** When its completion window began: later than its id where a create was retried. */
  readonly accepted_at?: number | undefined
  readonly expires_at: number
  /** When its last task was known to have ended: from then on it can't be cancelled any more. */
  readonly tasks_ended_at?: number | undefined
  readonly cancel_requested_at?: number | undefined
  readonly finished_at?: number | undefined
  /** When it is removed; there once it has ended. */
  readonly due_at?: number | undefined
  readonly resource_version: number
  /** What a caller has changed, and the owner of the service has not looked at since. */
  readonly unseen?: 'yes' | undefined
  readonly request_id?: string | undefined
  /** The trace of the request that has made it: W3C's `traceparent`, where traces are on. */
  readonly traceparent?: string | undefined
}

export const batchesSpec = {
  name: 'batches',
  indexes: {
    /** Those that have not ended, over all tenants. */
    active: { fields: ['tenant', 'id'], when: { field: 'status', in: ['running', 'cancelling'] } },
    unseen: { fields: ['tenant', 'id'], when: { field: 'unseen', in: ['yes'] } },
    ended: { fields: ['due_at'], when: { field: 'status', in: ['completed', 'cancelled', 'expired'] } },
  },
  refusedWhenFull: true,
} as const satisfies CollectionSpec

export type Batches = Collection<BatchRecord, keyof typeof batchesSpec.indexes>

export const hasEnded = ({ status }: Pick<BatchRecord, 'status'>): boolean =>
  status !== 'running' && status !== 'cancelling'

/** Fails with `not_found`. */
export async function requireBatch(batches: Batches, tenant: string, id: string): Promise<BatchRecord> {
  const batch = await batches.get(tenant, id)
  if (batch === undefined) throw fail('not_found', `There is no batch \`${id.slice(0, 64)}\`.`)
  return batch
}
