/** The files of a tenant, and how they go. Each step is durable before the next. docs/decisions/files.md. */
import type { Readable } from 'node:stream'
import type { BlobRange } from '@millhand/blob'
import { blobOf } from './contents.ts'
import { isThere, type StoredFile } from './file.ts'
import { type FileUse, inUse, type UsedBy } from './file-use.ts'
import { createHoldings } from './holdings.ts'
import { type FilesDeps, removeExpired } from './retention.ts'
import { createUpload } from './upload.ts'

export type Files = ReturnType<typeof createFiles>

export function createFiles(deps: FilesDeps) {
  const { collection, blobs, clock, batchHolds } = deps
  const usedBy: UsedBy = async (tenant, id) => (await batchHolds.useOf(tenant, id)) ?? (await deps.usedBy(tenant, id))

  const holdings = createHoldings(deps)

  /** Whether there was one, or what needs it. */
  async function remove(tenant: string, id: string): Promise<boolean | FileUse> {
    for (;;) {
      const file = await collection.get(tenant, id)
      if (file === undefined || file.fate === 'removed') return file !== undefined
      // A batch that needs it from here on has written the file again, and the write below meets a conflict.
      const use = await usedBy(tenant, id)
      if (use !== undefined) return use
      // Of removals at once one writes, and gives back the bytes.
      await holdings.leave(file, document =>
        collection.write({ kind: 'replace', version: file.version, document, events: [] }),
      )
    }
  }

  return {
    upload: createUpload(deps),

    /** Fails with `storage_quota_exceeded` where so many bytes more would not fit now. */
    requireRoom: (tenant: string, bytes: number): Promise<void> => deps.storage.requireRoom(tenant, bytes),

    /** The file, where it is there for callers. */
    async get(tenant: string, id: string): Promise<StoredFile | undefined> {
      const file = await collection.get(tenant, id)
      return isThere(file, clock.now()) ? file : undefined
    },

    /** Its bytes or a range of them; none where it was removed in between. What has begun goes on to its end. */
    read: (file: StoredFile, range?: BlobRange): Promise<Readable | undefined> =>
      blobs.get(blobOf(file.tenant, file.content), range),

    /** The same, also where it has expired and is kept for a task that uses it. */
    async getUsed(tenant: string, id: string): Promise<StoredFile | undefined> {
      const file = await collection.get(tenant, id)
      return file?.fate === 'removed' ? undefined : file
    },

    /**
     * Removes a file and what only it holds; false where there was none, also not in the last day. Idempotent. Fails with
     * `invalid_state` while a task uses it, or a batch may need it.
     */
    async remove(tenant: string, id: string): Promise<boolean> {
      const removed = await remove(tenant, id)
      if (typeof removed === 'object') throw inUse(id, removed)
      return removed
    },

    holdings,

    batchHolds,

    /** What a run has stored as its output. */
    async outputOf(tenant: string, run: string): Promise<StoredFile | undefined> {
      const [latest] = await collection.find('output', { equals: [tenant, run], order: 'desc', limit: 1 })
      return isThere(latest, clock.now()) ? latest : undefined
    },

    /** Lets what a run has made expire at `until` (ms since 1970); false where the file is not there, or not that run's. */
    async keepOutput(tenant: string, id: string, run: string, until: number): Promise<boolean> {
      for (;;) {
        const file = await collection.get(tenant, id)
        if (!isThere(file, clock.now()) || !isOf(run, file)) return false
        const document = { ...file, due_at: until }
        const { kind } = await collection.write({ kind: 'replace', version: file.version, document, events: [] })
        if (kind === 'written') return true
      }
    },

    /** Removes what has expired, and what uploads and removals that died have left. What fails waits for the next time. */
    sweep: (signal: AbortSignal): Promise<void> => removeExpired(deps, remove, signal),
  }
}

/** Its output, or a file beside that, by its name. */
const isOf = (run: string, { output_of = '' }: StoredFile) => output_of === run || output_of.startsWith(`${run}/`)
