/**
 * Events as they are listed, delivered and replayed: by their tenant, in the order in which they came. Where the log can
 * be searched (SQLite), it is the archive itself. Elsewhere the webhook service stores each event a second time.
 */
import type { Document, OutboxEvent, Query } from '@millhand/store'

export interface ArchivedEvent extends Document {
  readonly type: string
  readonly resource_id: string
  /** When it happened, in milliseconds since 1970. */
  readonly created_at: number
  /**
   * When it came, in microseconds since 1970; made to ascend. Lists are in this order, so that what came late is behind
   * what was listed already and no page loses it.
   */
  readonly arrived: number
  /** The event as JSON text, as it was written. */
  readonly value: string
  /** The trace that it is part of: W3C's `traceparent`, where there is one. */
  readonly traceparent?: string | undefined
}

/** The orders in which events can be found, each with the fields that `equals` takes and the one that pages go by. */
export const archiveIndexes = {
  by_arrival: { fields: ['tenant', 'arrived'] },
  by_type: { fields: ['tenant', 'type', 'arrived'] },
  by_resource: { fields: ['tenant', 'resource_id', 'arrived'] },
  /** What replays go by: those of one moment by their ids. */
  by_time: { fields: ['tenant', 'created_at'] },
} as const

export type ArchiveIndex = keyof typeof archiveIndexes

/** Shows what is durable alone. */
export interface EventArchive {
  /** The event of a tenant by its id. */
  get(tenant: string, id: string): Promise<ArchivedEvent | undefined>

  /** Events of a tenant in the order of an index; `after` and `before` name the index's last field, and the id of ties. */
  find(index: ArchiveIndex, query: Query): Promise<ArchivedEvent[]>

  /** Keeps an event that no reader of the log is to hear of; resolves once it is durable. */
  add(event: OutboxEvent, tenant: string): Promise<void>
}
