/** Removes files whose time is over, and what uploads and removals that died have left. */
import type { BatchHolds } from './batch-holds.ts'
import { dueDocuments } from './due-documents.ts'
import type { FileRecord } from './file.ts'
import type { UsedBy } from './file-use.ts'
import { settleIntent } from './settle-intent.ts'
import type { UploadDeps } from './upload.ts'

export interface FilesDeps extends UploadDeps {
  readonly batchHolds: BatchHolds
  readonly usedBy: UsedBy
}

/** `remove` removes one file that nothing needs. What fails waits for the next time. */
export async function removeExpired(
  deps: FilesDeps,
  remove: (tenant: string, id: string) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const { collection, models, contents, storage, clock, log } = deps

  /** Removes an expired file that no task waits for, or what was left of a removed one. */
  async function expire({ tenant, id, fate, version }: FileRecord): Promise<void> {
    if (fate === 'removed') await collection.write({ kind: 'remove', version, tenant, id, events: [] })
    else await remove(tenant, id)
  }

  /** One that can't be swept, such as a blob on a broken disk, must not keep the sweeper from all others. */
  async function attempt(tenant: string, id: string, work: Promise<unknown>): Promise<void> {
    await work.catch(error => log.error('files.not_swept', { tenant, id, error }))
  }

  for await (const { tenant, intent } of storage.abandoned(signal))
    await attempt(tenant, intent.file, settleIntent(deps, tenant, intent))
  for await (const file of dueDocuments(collection, clock.now(), signal))
    await attempt(file.tenant, file.id, expire(file))
  for await (const { tenant, id, version } of dueDocuments(models, clock.now(), signal))
    await attempt(tenant, id, models.write({ kind: 'remove', version, tenant, id, events: [] }))
  await deps.batchHolds.sweep(signal)
  for await (const content of contents.leftOver(signal))
    await attempt(content.tenant, content.id, contents.retire(content))
}
