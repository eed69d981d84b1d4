/** Which files and own models batches may still need: they are not removed meanwhile. docs/decisions/batches.md */
import type { Clock } from '@millhand/process'
import type { Collection, CollectionSpec, Document } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { dueDocuments } from './due-documents.ts'
import type { FileUse } from './file-use.ts'

/** One for each batch and each file or model that it names. */
export interface BatchHold extends Document {
  readonly batch: string
  /** The file's id, or the model's. */
  readonly input: string
  /** Milliseconds since 1970: the batch's end, at the latest. */
  readonly due_at: number
}

export const batchHoldsSpec = {
  name: 'batch_holds',
  indexes: {
    input: { fields: ['tenant', 'input'] },
    batch: { fields: ['tenant', 'batch'] },
    due: { fields: ['due_at'] },
  },
} as const satisfies CollectionSpec

export type BatchHoldIndex = keyof typeof batchHoldsSpec.indexes

/** More than there are batches of a tenant at once. */
const MOST_BATCHES = 200
/** How many are written at once. */
const AT_ONCE = 100

export type BatchHolds = ReturnType<typeof createBatchHolds>

export function createBatchHolds({
  collection,
  clock,
  log,
}: {
  readonly collection: Collection<BatchHold, BatchHoldIndex>
  readonly clock: Clock
  readonly log: Log
}) {
  const remove = ({ tenant, id, version }: BatchHold) =>
    collection.write({ kind: 'remove', version, tenant, id, events: [] })

  return {
    /** Holds files and models for a batch until `until` (ms since 1970), whether they are there or not. Idempotent. */
    async hold(tenant: string, batch: string, inputs: readonly string[], until: number): Promise<void> {
      for (let at = 0; at < inputs.length; at += AT_ONCE) {
        const writes = inputs.slice(at, at + AT_ONCE).map(input => {
          const document = { tenant, id: `${batch}/${input}`, version: 1, batch, input, due_at: until }
          return collection.write({ kind: 'insert', document, events: [] })
        })
        await Promise.all(writes)
      }
    },

    /** The batch needs none of them any more. Idempotent. */
    async release(tenant: string, batch: string): Promise<void> {
      for (;;) {
        const held = await collection.find('batch', { equals: [tenant, batch], limit: AT_ONCE })
        if (held.length === 0) return
        await Promise.all(held.map(remove))
      }
    },

    /** A batch that has not ended and needs this. */
    async useOf(tenant: string, input: string): Promise<FileUse | undefined> {
      const held = await collection.find('input', { equals: [tenant, input], limit: MOST_BATCHES })
      const found = held.find(({ due_at }) => due_at > clock.now())
      return found && { batch: found.batch }
    },

    /** Removes what batches have left that were never made. */
    async sweep(signal: AbortSignal): Promise<void> {
      for await (const hold of dueDocuments(collection, clock.now(), signal)) {
        const { tenant, id } = hold
        await remove(hold).catch(error => log.error('files.not_swept', { tenant, id, error }))
      }
    },
  }
}
