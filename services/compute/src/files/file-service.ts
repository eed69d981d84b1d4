/** Files: contents too large for a JSON body. docs/decisions/files.md. */
import { type Cursors, createIds } from '@millhand/api'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import { type Clock, everyInterval } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import type { Collection, Database } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { type ModelIndex, type ModelRecord, modelsSpec } from '../models/model.ts'
import { type BatchHold, type BatchHoldIndex, batchHoldsSpec, createBatchHolds } from './batch-holds.ts'
import { type ContentIndex, type ContentRecord, contentsSpec, createContents } from './contents.ts'
import { type FileIndex, type FileRecord, filesSpec } from './file.ts'
import type { FileDeps } from './file-deps.ts'
import type { UsedBy } from './file-use.ts'
import { createFiles } from './files.ts'
import { deleteFile } from './rpc/delete-file.ts'
import { getFile } from './rpc/get-file.ts'
import { getFileContent } from './rpc/get-file-content.ts'
import { listFiles } from './rpc/list-files.ts'
import { keepTaskFile, storeTaskFile } from './rpc/task-files.ts'
import { uploadFile } from './rpc/upload-file.ts'
import { createStorage } from './storage-quota.ts'
import { type StorageRecord, storageSpec } from './storage-states.ts'

/** What files are written in. */
export interface FileCollections {
  readonly files: Collection<FileRecord, FileIndex>
  readonly contents: Collection<ContentRecord, ContentIndex>
  readonly storage: Collection<StorageRecord, 'due'>
  /** They hold content too. */
  readonly models: Collection<ModelRecord, ModelIndex>
  readonly batchHolds: Collection<BatchHold, BatchHoldIndex>
}

/** Those of a database. */
export const fileCollections = (db: Database): FileCollections => ({
  files: db.collection<FileRecord, FileIndex>(filesSpec),
  contents: db.collection<ContentRecord, ContentIndex>(contentsSpec),
  storage: db.collection<StorageRecord, 'due'>(storageSpec),
  models: db.collection<ModelRecord, ModelIndex>(modelsSpec),
  batchHolds: db.collection<BatchHold, BatchHoldIndex>(batchHoldsSpec),
})

export interface FileServiceOptions extends FileCollections {
  readonly blobs: Blobs
  readonly cursors: Cursors
  readonly clock: Clock
  readonly log: Log
  /** How many bytes the files of an account may hold, in each mode. */
  readonly quotaBytes: number
  readonly usedBy: UsedBy
}

const SWEEP_EVERY_MS = 3_600_000

export function createFileService(options: FileServiceOptions) {
  const { blobs, cursors, clock, log, quotaBytes, usedBy } = options
  const files = createFiles({
    collection: options.files,
    models: options.models,
    batchHolds: createBatchHolds({
      ...{ collection: options.batchHolds, files: options.files, models: options.models },
      ...{ clock, log },
    }),
    contents: createContents({ collection: options.contents, blobs, clock }),
    storage: createStorage({ collection: options.storage, clock, quotaBytes }),
    blobs,
    clock,
    ids: createIds({ now: () => clock.now() }),
    log,
    usedBy,
  })
  const deps: FileDeps = { files, collection: options.files, cursors, clock }

  return {
    /** For whoever else works with files here. */
    files,
    routes(router: Routes): void {
      router.service(FileService, {
        uploadFile: uploadFile(deps),
        getFile: getFile(deps),
        listFiles: listFiles(deps),
        getFileContent: getFileContent(deps),
        deleteFile: deleteFile(deps),
      })
      router.service(TaskFileService, { storeTaskFile: storeTaskFile(deps), keepTaskFile: keepTaskFile(deps) })
    },
    /** Removes what has expired and what was left over, every hour until the signal ends. Where one does, it is enough. */
    async run(signal: AbortSignal): Promise<void> {
      await everyInterval(clock, SWEEP_EVERY_MS, signal, () =>
        files.sweep(signal).catch(error => log.error('files.sweep_failed', { error })),
      )
    },
    /** Does that once, now. */
    sweep: (signal: AbortSignal): Promise<void> => files.sweep(signal),
  }
}
