/** How far the event log has been read: one document. */
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'

export interface PlaceRecord extends Document {
  /** Of the last event that is archived with all its deliveries, as `tail` takes it. */
  readonly position: string
}

export const placesSpec = { name: 'places', indexes: {} } as const satisfies CollectionSpec

export type Places = Pick<Collection<PlaceRecord>, 'get' | 'write'>
