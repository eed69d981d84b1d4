/** The items of batches, as the owner of the service has them: it alone writes them, and remembers what it wrote. */
import type { Collection } from '@millhand/store'
import type { BatchRecord } from './batch.ts'
import { type BatchItems, newItems } from './item-state.ts'

export type ItemsCollection = Collection<BatchItems, never>

export interface ItemsStore {
  /** As this owner left them; the first time as they are in the store. `isFirst` where it was the first time. */
  load(batch: BatchRecord): Promise<{ readonly items: BatchItems; readonly isFirst: boolean }>
  /** Rejects where another owner has written them; what is loaded next is from the store. */
  save(items: BatchItems): Promise<BatchItems>
  /** The next load is a first one: what was done last failed, and may have been done all the same. */
  forget(batch: Pick<BatchRecord, 'tenant' | 'id'>): void
  /** Of a batch that has ended. */
  remove(batch: BatchRecord): Promise<void>
}

export function createItemsStore(collection: ItemsCollection): ItemsStore {
  const known = new Map<string, BatchItems>()
  return {
    async load({ tenant, id, total }) {
      const found = known.get(keyOf({ tenant, id }))
      if (found) return { items: found, isFirst: false }
      const stored = await collection.get(tenant, id)
      // Earlier versions kept refusals by item, in an object.
      const refusals = Array.isArray(stored?.refusals) ? stored.refusals : []
      const items = stored ? { ...stored, refusals } : newItems(tenant, id, total)
      known.set(keyOf(items), items)
      return { items, isFirst: true }
    },
    async save(items) {
      const { version } = items
      known.delete(keyOf(items))
      const change = version === 0 ? { kind: 'insert' as const } : { kind: 'replace' as const, version }
      const result = await collection.write({ ...change, document: items, events: [] })
      if (result.kind === 'conflict') throw new Error(`the items of ${items.id} were written by another owner`)
      const saved = { ...items, version: result.version }
      known.set(keyOf(items), saved)
      return saved
    },
    forget: batch => void known.delete(keyOf(batch)),
    async remove({ tenant, id }) {
      known.delete(keyOf({ tenant, id }))
      const items = await collection.get(tenant, id)
      if (items) await collection.write({ kind: 'remove', version: items.version, tenant, id, events: [] })
    },
  }
}

/** Names a batch among those of all tenants. */
export const keyOf = ({ tenant, id }: { readonly tenant: string; readonly id: string }): string => `${tenant}/${id}`
