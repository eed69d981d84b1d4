/** An event in the archive: what `GET /v1/events` lists, and what deliveries are made of. */
import type { Collection, CollectionSpec } from '@millhand/store'
import type { ArrivalOrdered } from './archive/ordered-writes.ts'

/**
 * Its id is the event's. `arrived` is made to ascend: lists are in this order, so that what came late is behind what was
 * listed already and no page loses it.
 */
export interface ArchivedEvent extends ArrivalOrdered {
  readonly type: string
  readonly resource_id: string
  /** When it happened, in milliseconds since 1970. */
  readonly created_at: number
  /** The event as JSON text, as it was written. */
  readonly value: string
}

export const archiveSpec = {
  name: 'archived_events',
  indexes: {
    by_arrival: { fields: ['tenant', 'arrived'] },
    by_type: { fields: ['tenant', 'type', 'arrived'] },
    by_resource: { fields: ['tenant', 'resource_id', 'arrived'] },
    /** What replays go by: those of one moment by their ids. */
    by_time: { fields: ['tenant', 'created_at'] },
    /** What is to be removed, over all tenants. */
    by_age: { fields: ['arrived'] },
  },
} as const satisfies CollectionSpec

export type Archive = Collection<ArchivedEvent, keyof typeof archiveSpec.indexes>
