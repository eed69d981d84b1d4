/** One event on its way to one endpoint: leased work. REST shows the part that `delivery-message.ts` picks. */
import type { KeyMode } from '@millhand/api'
import type { Work } from '@millhand/lease'
import type { Collection, CollectionSpec } from '@millhand/store'
import type { ArrivalOrdered } from './archive/ordered-writes.ts'

export type DeliveryStatus = 'queued' | 'waiting' | 'running' | 'succeeded' | 'failed' | 'cancelled'

/** One try. Times are milliseconds since 1970. */
export interface Attempt {
  readonly at: number
  readonly ms: number
  /** The HTTP status, where there was an answer; else why not, in a word. */
  readonly status?: number
  readonly error?: string
  /** The first 4 KiB of the answer, or what went wrong in words. */
  readonly response: string
}

/**
 * In the words of leasing: `pool` is `live/webhooks` or `test/webhooks`; `group` and the flow of the ready queue are
 * `endpoint`; `rank` is 0 for first tries, 1 for later ones, 2 for replays; `due_at` is when a waiting one is tried.
 * Its id is made of the event's and the endpoint's (`delivery-id.ts`). Lists are in the order of `arrived`, when it was
 * stored: a replay makes deliveries of events that happened long ago.
 */
export interface DeliveryRecord extends Work, ArrivalOrdered {
  readonly account_id: string
  readonly mode: KeyMode
  readonly status: DeliveryStatus
  /** The webhook's id, or the endpoint id of its callback (`callbackEndpoint`). */
  readonly endpoint: string
  /** Where a callback is posted to; a webhook's is read before each try. */
  readonly callback_url?: string | undefined
  readonly event_id: string
  readonly event_type: string
  /** When the event happened. */
  readonly created_at: number
  /** The newest 20 tries. */
  readonly attempts: readonly Attempt[]
  /** How many tries there were since it was last begun anew: the place in the schedule. */
  readonly tries: number
  /** How many there were in all. */
  readonly tried: number
  /** Since when it can be claimed, of one that can be. */
  readonly ready_at: number
  /** How often in a row it could not be tried, which is no try: for how long it waits. */
  readonly put_offs: number
  /** The operation that last began it anew by hand. */
  readonly retried_by?: string | undefined
  readonly finished_at?: number | undefined
  readonly resource_version: number
}

export const deliveriesSpec = {
  name: 'deliveries',
  indexes: {
    /** What can be claimed, flow by flow. */
    ready: { fields: ['pool', 'endpoint', 'rank', 'id'], when: { field: 'status', in: ['queued'] } },
    /** What waits for a time, and what is leased (`due_at` 0). */
    due: {
      fields: ['pool', 'due_at', 'tenant', 'id'],
      when: { field: 'status', in: ['waiting', 'running'] },
    },
    /** How long those wait that can be claimed. */
    ready_since: { fields: ['pool', 'ready_at'], when: { field: 'status', in: ['queued'] } },
    by_endpoint: { fields: ['tenant', 'endpoint', 'arrived'] },
    by_status: { fields: ['tenant', 'endpoint', 'status', 'arrived'] },
    by_end: { fields: ['finished_at'], when: { field: 'status', in: ['succeeded', 'failed', 'cancelled'] } },
  },
} as const satisfies CollectionSpec

export type Deliveries = Collection<DeliveryRecord, keyof typeof deliveriesSpec.indexes>
