/** An event whose deliveries are yet to be made: its tenant had more in one batch than is written at once. */
import type { Collection, CollectionSpec, Document } from '@millhand/store'
import type { Callback } from './read-event.ts'

/** Its id is the event's, which is in the archive. It is removed when all deliveries are there. */
export interface SpilledEvent extends Document {
  readonly callback?: Callback
}

export const spillSpec = { name: 'spilled_events', indexes: {} } as const satisfies CollectionSpec

export type Spill = Pick<Collection<SpilledEvent>, 'find' | 'write'>
