/**
 * What files hold, once for each tenant however many files hold it. A blob never is without its contents document: that
 * is there before the bytes come, and goes after them, so whatever a crash leaves behind is found by its document.
 */
import { fail } from '@millhand/api'
import type { Blobs } from '@millhand/blob'
import type { Clock } from '@millhand/process'
import type { Collection, CollectionSpec, Document, Draft } from '@millhand/store'
import { dueDocuments } from './due-documents.ts'

export interface ContentRecord extends Document {
  /** `uploading` until the bytes are whole, `leaving` once nobody holds them. */
  readonly state: 'uploading' | 'kept' | 'leaving'
  /** When the sweeper takes it for left over; none while it is kept. */
  readonly due_at?: number | undefined
  /** Of its bytes; its own id until they are whole. */
  readonly sha256: string
  /** `open` while more may hold it, else its own id: at most one document of a tenant and a SHA-256 is open. */
  readonly slot: string
  /** Ids of who holds it: themselves and not their number, so that a wrong one can be found. */
  readonly holders: readonly string[]
}

export const contentsSpec = {
  name: 'contents',
  indexes: {
    slot: { fields: ['tenant', 'sha256', 'slot'], unique: true },
    due: { fields: ['due_at'], when: { field: 'state', in: ['uploading', 'leaving'] } },
  },
} as const satisfies CollectionSpec

export type ContentIndex = keyof typeof contentsSpec.indexes

/** More would make every change of the document slow. The next file gets a document, and a copy, of its own. */
const MOST_HOLDERS = 1_000

/** Nobody uploads for longer, and a slow caller is not cut off. */
const UPLOADING_MS = 86_400_000

/** What is leaving is removed at once; the sweeper takes over from who died at it. */
const LEAVING_MS = 60_000

/** Where the bytes of a contents document lie. */
export const blobOf = (tenant: string, id: string) => `files/${tenant}/${id}`

export type Contents = ReturnType<typeof createContents>

interface ContentsDeps {
  readonly collection: Collection<ContentRecord, ContentIndex>
  readonly blobs: Blobs
  readonly clock: Clock
}

/** Makes `holder` hold the bytes that `other` holds in a contents document; false where that holds them no longer. */
const join =
  ({ collection }: ContentsDeps) =>
  async (tenant: string, content: string, other: string, holder: string): Promise<boolean> => {
    for (;;) {
      const kept = await collection.get(tenant, content)
      if (kept === undefined || !kept.holders.includes(other)) return false
      const holders = [...kept.holders, holder]
      const slot = holders.length < MOST_HOLDERS ? kept.slot : kept.id
      const document = { ...kept, holders, slot }
      const result = await collection.write({ kind: 'replace', version: kept.version, document, events: [] })
      if (result.kind === 'written') return true
    }
  }

export function createContents(deps: ContentsDeps) {
  const { collection, blobs, clock } = deps

  const replace = (before: ContentRecord, change: Partial<Draft<ContentRecord>>) =>
    collection.write({ kind: 'replace', version: before.version, document: { ...before, ...change }, events: [] })

  /** Removes the bytes, then the document; false where it is no longer as it was. */
  async function retire(content: ContentRecord): Promise<boolean> {
    const { tenant, id } = content
    let { version } = content
    if (content.state !== 'leaving') {
      const due_at = clock.now() + LEAVING_MS
      const result = await replace(content, { state: 'leaving', due_at, slot: id, holders: [] })
      if (result.kind === 'conflict') return false
      version = result.version
    }
    await blobs.delete(blobOf(tenant, id))
    await collection.write({ kind: 'remove', version, tenant, id, events: [] })
    return true
  }

  /** Removes what was uploaded to a place, unless somebody holds it. */
  async function discard(place: ContentRecord): Promise<void> {
    const { tenant, id } = place
    if (await retire(place)) return
    // The sweeper may have taken the place before the bytes were whole.
    if ((await collection.get(tenant, id)) === undefined) await blobs.delete(blobOf(tenant, id))
  }

  /** Takes the holder out; the bytes go with the last one. False where the document has changed since. */
  async function leave(content: ContentRecord, holder: string): Promise<boolean> {
    const holders = content.holders.filter(each => each !== holder)
    if (holders.length === 0) return await retire(content)
    return (await replace(content, { holders })).kind === 'written'
  }

  return {
    /** A place for bytes that are to come. */
    async begin(tenant: string): Promise<ContentRecord> {
      const id = crypto.randomUUID()
      const due_at = clock.now() + UPLOADING_MS
      const document = { tenant, id, state: 'uploading', due_at, sha256: id, slot: id, holders: [] } as const
      const result = await collection.write({ kind: 'insert', document, events: [] })
      if (result.kind === 'conflict') throw new Error(`the contents ${id} are there already`)
      return { ...document, version: result.version }
    },

    discard,

    /**
     * Makes `holder` hold the bytes that were uploaded to a place, and says which contents document has them: that place,
     * or the one that had them before; then the place is gone. Fails as `unavailable` where the sweeper took the place.
     */
    async keep(place: ContentRecord, sha256: string, holder: string): Promise<string> {
      for (;;) {
        const [open] = await collection.find('slot', { equals: [place.tenant, sha256, 'open'], limit: 1 })
        if (open === undefined) {
          const kept = { state: 'kept', due_at: undefined, sha256, slot: 'open', holders: [holder] } as const
          const result = await replace(place, kept)
          if (result.kind === 'written') return place.id
          if (result.index === 'version') throw fail('unavailable', 'The upload took too long. Send it again.')
        } else {
          const holders = [...open.holders, holder]
          const slot = holders.length < MOST_HOLDERS ? 'open' : open.id
          if ((await replace(open, { holders, slot })).kind === 'conflict') continue
          await discard(place)
          return open.id
        }
      }
    },

    join: join(deps),

    /** `holder` no longer holds bytes of this SHA-256. Idempotent. */
    async release(tenant: string, sha256: string, holder: string): Promise<void> {
      for (let done = false; !done; ) {
        const all = await collection.find('slot', { equals: [tenant, sha256], limit: 10_000 })
        const held = all.filter(({ holders }) => holders.includes(holder))
        done = (await Promise.all(held.map(each => leave(each, holder)))).every(Boolean)
      }
    },

    /** What uploads and removals have left that died. */
    leftOver: (signal: AbortSignal): AsyncIterable<ContentRecord> => dueDocuments(collection, clock.now(), signal),

    retire,
  }
}
