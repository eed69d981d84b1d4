import type { Clock } from '@millhand/process'
import type { Change, Collection } from '@millhand/store'
import type { ModelIndex, ModelRecord } from '../models/model.ts'
import type { Contents } from './contents.ts'
import { type FileIndex, type FileRecord, removedFile } from './file.ts'
import type { Storage } from './storage-quota.ts'
import type { Intent } from './storage-states.ts'

export interface SettleDeps {
  readonly collection: Collection<FileRecord, FileIndex>
  /** They hold content as files do. */
  readonly models: Collection<ModelRecord, ModelIndex>
  readonly contents: Contents
  readonly storage: Storage
  readonly clock: Clock
}

/** Brings an intent to its end, however far it came. Idempotent. */
export async function settleIntent(deps: SettleDeps, tenant: string, intent: Intent): Promise<void> {
  const gone = await isGone(deps, tenant, intent)
  if (gone) await deps.contents.release(tenant, intent.sha256, intent.file)
  await deps.storage.settle(tenant, intent, gone)
}

/**
 * Whether the intent has left no file: then its bytes are its own to give back. Whoever was at it may only stand still,
 * so the document is changed where that could still make or remove the file: its write meets a conflict then.
 */
async function isGone(deps: SettleDeps, tenant: string, { id, kind, file }: Intent): Promise<boolean> {
  const { clock } = deps
  const collection: Collection<FileRecord | ModelRecord> = file.startsWith('model_') ? deps.models : deps.collection
  for (;;) {
    const now = await collection.get(tenant, file)
    if (now?.fate === 'removed') return now.removed_by === id
    if ((now === undefined) !== (kind === 'upload')) return false
    const change: Change<FileRecord | ModelRecord> =
      now === undefined
        ? {
            kind: 'insert',
            document: removedFile({ tenant, id: file, operation: file }, id, clock.now()),
            events: [],
          }
        : { kind: 'replace', version: now.version, document: now, events: [] }
    if ((await collection.write(change)).kind === 'written') return now === undefined
  }
}
