/** An event in the archive: what `GET /v1/events` lists, and what deliveries are made of. */
import { type ArchivedEvent, archiveIndexes, type EventArchive } from '@millhand/eventlog'
import type { Collection, CollectionSpec } from '@millhand/store'

export type { ArchivedEvent }

/** Where the log can't be searched. */

export const archiveSpec = {
  name: 'archived_events',
  indexes: {
    ...archiveIndexes,
    /** What is to be removed, over all tenants. */
    by_age: { fields: ['arrived'] },
  },
} as const satisfies CollectionSpec

/** The collection of events. */
export type Archive = Collection<ArchivedEvent, keyof typeof archiveSpec.indexes>

/** What is read of the archive, whatever it is. */
export type ReadableArchive = Pick<EventArchive, 'get' | 'find'>
