/** A replay that was asked for: durable, and worked off page by page. */
import type { Collection, CollectionSpec, Document } from '@millhand/store'

/** Its id is made of the operation's. Times are milliseconds since 1970. */
export interface ReplayRecord extends Document {
  readonly webhook_id: string
  readonly status: 'open' | 'done' | 'stopped'
  readonly since: number
  readonly until: number
  /** As a webhook's `events`; empty for all that the webhook asks for. */
  readonly types: readonly string[]
  /** Of the last event that was looked at: in the order in which they happened. */
  readonly place?: { readonly time: number; readonly id: string } | undefined
  readonly created_at: number
  readonly finished_at?: number | undefined
}

export const replaysSpec = {
  name: 'replays',
  indexes: {
    open: { fields: ['tenant', 'created_at'], when: { field: 'status', in: ['open'] } },
    open_of_webhook: { fields: ['tenant', 'webhook_id'], when: { field: 'status', in: ['open'] } },
    by_end: { fields: ['finished_at'], when: { field: 'status', in: ['done', 'stopped'] } },
  },
  refusedWhenFull: true,
} as const satisfies CollectionSpec

export type Replays = Collection<ReplayRecord, keyof typeof replaysSpec.indexes>
