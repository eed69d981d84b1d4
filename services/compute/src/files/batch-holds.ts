/** Which files and own models batches may still need: they are not removed meanwhile. docs/decisions/batches.md */
import type { Clock } from '@millhand/process'
import type { Collection, CollectionSpec, Document } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import type { ModelIndex, ModelRecord } from '../models/model.ts'
import { dueDocuments } from './due-documents.ts'
import type { FileIndex, FileRecord } from './file.ts'
import type { FileUse } from './file-use.ts'

/**
 * One for each attempt to create a batch and each file or model that it names, which ends with the attempt. Where the
 * attempt has made the batch there is one more, without an input: what it names is held for as long as that says.
 */
export interface BatchHold extends Document {
  readonly batch: string
  readonly attempt: string
  /** The file's id, or the model's. */
  readonly input: string
  /** Milliseconds since 1970: until when it holds. */
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

/** One attempt to create a batch. */
export interface BatchAttempt {
  readonly tenant: string
  readonly batch: string
  /** A retry is another one. */
  readonly attempt: string
}

/** How many are read and written at once. */
const AT_ONCE = 100

export type BatchHolds = ReturnType<typeof createBatchHolds>

export interface BatchHoldsDeps {
  readonly collection: Collection<BatchHold, BatchHoldIndex>
  /** What is held. */
  readonly files: Collection<FileRecord, FileIndex>
  readonly models: Collection<ModelRecord, ModelIndex>
  readonly clock: Clock
  readonly log: Log
}

export function createBatchHolds({ collection, files, models, clock, log }: BatchHoldsDeps) {
  /** Writes a file or model again: a removal that has looked for holds before meets a conflict, and looks again. */
  async function rewrite(tenant: string, id: string): Promise<void> {
    const inputs: Collection<FileRecord | ModelRecord> = id.startsWith('model_') ? models : files
    for (;;) {
      const document = await inputs.get(tenant, id)
      if (document === undefined || document.fate === 'removed') return
      const change = { kind: 'replace', version: document.version, document, events: [] } as const
      if ((await inputs.write(change)).kind === 'written') return
    }
  }

  /** All that hold an input, or are of a batch. */
  async function* pagesOf(index: 'input' | 'batch', tenant: string, value: string) {
    for (let after: string[] = []; ; ) {
      const query = { equals: [tenant, value], limit: AT_ONCE, ...(after.length > 0 && { after }) }
      const page = await collection.find(index, query)
      yield page
      const last = page.at(-1)
      if (last === undefined || page.length < AT_ONCE) return
      after = [last.id]
    }
  }

  async function remove(hold: BatchHold): Promise<void> {
    for (let now: BatchHold | undefined = hold; now; now = await collection.get(hold.tenant, hold.id)) {
      const { tenant, id, version } = now
      if ((await collection.write({ kind: 'remove', version, tenant, id, events: [] })).kind === 'written') return
    }
  }

  /** Until when a hold holds, in milliseconds since 1970. */
  async function endOf({ tenant, batch, attempt, due_at }: BatchHold): Promise<number> {
    const made = due_at > clock.now() ? undefined : await collection.get(tenant, idOf({ batch, attempt }, ''))
    return Math.max(due_at, made?.due_at ?? 0)
  }

  async function sweepOne(hold: BatchHold): Promise<void> {
    const due_at = await endOf(hold)
    if (due_at <= clock.now()) return await remove(hold)
    const document = { ...hold, due_at }
    await collection.write({ kind: 'replace', version: hold.version, document, events: [] })
  }

  return {
    /**
     * Holds files and models for an attempt until `until` (ms since 1970), whether they are there or not. What is there
     * after it stays until then. Idempotent.
     */
    async hold({ tenant, batch, attempt }: BatchAttempt, inputs: readonly string[], until: number): Promise<void> {
      for (let at = 0; at < inputs.length; at += AT_ONCE) {
        const writes = inputs.slice(at, at + AT_ONCE).map(async input => {
          const id = idOf({ batch, attempt }, input)
          const document = { tenant, id, batch, attempt, input, due_at: until }
          await collection.write({ kind: 'insert', document, events: [] })
          await rewrite(tenant, input)
        })
        await Promise.all(writes)
      }
    },

    /** Holds all that an attempt holds until `until` (ms since 1970): it makes the batch. One write, however much it is. */
    async keep({ tenant, batch, attempt }: BatchAttempt, until: number): Promise<void> {
      const document = { tenant, id: idOf({ batch, attempt }, ''), batch, attempt, input: '', due_at: until }
      await collection.write({ kind: 'insert', document, events: [] })
    },

    /** The batch, or the attempt where one is named, needs none of them any more. Idempotent. */
    async release(tenant: string, batch: string, attempt?: string): Promise<void> {
      for await (const held of pagesOf('batch', tenant, batch))
        await Promise.all(held.filter(hold => attempt === undefined || hold.attempt === attempt).map(remove))
    },

    /** A batch that has not ended and needs this. */
    async useOf(tenant: string, input: string): Promise<FileUse | undefined> {
      for await (const held of pagesOf('input', tenant, input)) {
        const ends = await Promise.all(held.map(endOf))
        const found = held.find((_, at) => (ends[at] ?? 0) > clock.now())
        if (found) return { batch: found.batch }
      }
      return undefined
    },

    /** Removes what attempts have left that made no batch. */
    async sweep(signal: AbortSignal): Promise<void> {
      for await (const hold of dueDocuments(collection, clock.now(), signal)) {
        const { tenant, id } = hold
        await sweepOne(hold).catch(error => log.error('files.not_swept', { tenant, id, error }))
      }
    },
  }
}

const idOf = ({ batch, attempt }: Pick<BatchHold, 'batch' | 'attempt'>, input: string): string =>
  `${batch}/${attempt}/${input}`
