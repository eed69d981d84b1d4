/** Content of files that something else holds too: a model. It counts, and stays, as a file's does. docs/decisions/own-models.md */
import type { BlobRange } from '@millhand/blob'
import { blobOf } from './contents.ts'
import { type RemovedFile, removedFile, type StoredFile } from './file.ts'
import { settleIntent } from './settle-intent.ts'
import { type Intent, newIntent } from './storage-states.ts'
import type { UploadDeps } from './upload.ts'

/** What holds content: its id is the holder. */
interface Holder {
  readonly tenant: string
  readonly id: string
  readonly operation: string
  readonly bytes: number
  readonly sha256: string
  readonly content: string
}

export function createHoldings(deps: UploadDeps) {
  const { contents, storage, blobs, clock, log } = deps

  return {
    /**
     * Counts and holds the file's content for `holder`, and then has it written; what `write` answers, or undefined where
     * the file is gone. `write` gets the ids of what was being made before this one and was not settled. Nothing is held
     * where it answers false or throws. Fails with `storage_quota_exceeded`.
     */
    async take(
      file: StoredFile,
      holder: string,
      write: (pending: readonly string[]) => Promise<boolean>,
    ): Promise<boolean | undefined> {
      const { tenant, sha256, bytes, content } = file
      const intent = newIntent('upload', { id: holder, sha256, bytes }, clock.now())
      const before = await storage.add(tenant, intent)
      let isWritten: boolean | undefined
      try {
        if (await contents.join(tenant, content, file.id, holder)) isWritten = await write(pendingOf(before))
        return isWritten
      } finally {
        const settling = isWritten ? storage.settle(tenant, intent, false) : settleIntent(deps, tenant, intent)
        await settling.catch(error => log.warn('files.left_to_sweeper', { error }))
      }
    },

    /** Has a tombstone written in the place of the holder and, where it is, gives up the content. */
    async leave(holder: Holder, write: (tombstone: Omit<RemovedFile, 'version'>) => Promise<unknown>): Promise<void> {
      const { tenant } = holder
      const intent = newIntent('removal', holder, clock.now())
      await storage.announce(tenant, intent)
      await write(removedFile(holder, intent.id, clock.now()))
      await settleIntent(deps, tenant, intent)
    },

    /** The bytes that it holds; none where it was removed in between. */
    read: ({ tenant, content }: Pick<Holder, 'tenant' | 'content'>, range?: BlobRange) =>
      blobs.get(blobOf(tenant, content), range),
  }
}

const pendingOf = (intents: readonly Intent[]) =>
  intents.filter(({ kind }) => kind === 'upload').map(({ file }) => file)
