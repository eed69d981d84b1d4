/** How far the event log has been read: one document. */
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'

export interface OffsetRecord extends Document {
  /** Of the last event that is archived with all its deliveries, as `tail` takes it. */
  readonly position: string
  /** What happened before is passed over, since 1970 in milliseconds: an earlier offset was lost, and the log begun anew. */
  readonly since: number
}

/** The collection keeps its first name: databases have it. */
export const offsetsSpec = { name: 'places', indexes: {} } as const satisfies CollectionSpec

export type Offsets = Pick<Collection<OffsetRecord>, 'get' | 'write'>

export interface Offset {
  /** Where to read on; the log's beginning where nothing was read yet. */
  readonly position: string
  /** What happened before is passed over; 0 for all. */
  readonly since: number
  /** Rejects when it can't be stored, and when another owner has moved it. One call at a time. */
  moveTo(position: string, since: number): Promise<void>
}

export async function openOffset(offsets: Offsets): Promise<Offset> {
  const stored = await offsets.get(noAccount, ID)
  let version = stored?.version ?? 0
  return {
    position: stored?.position ?? 'beginning',
    since: stored?.since ?? 0,
    async moveTo(position, since) {
      const document = { tenant: noAccount, id: ID, position, since }
      const change =
        version === 0
          ? ({ kind: 'insert', document, events: [] } as const)
          : ({ kind: 'replace', version, document, events: [] } as const)
      const result = await offsets.write(change)
      if (result.kind === 'conflict') throw new Error('another owner has moved the offset in the event log')
      version = result.version
    },
  }
}

const ID = 'intake'
