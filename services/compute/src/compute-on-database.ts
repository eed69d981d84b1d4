/** The whole of compute on one database: its tasks and its files, which know of each other. */
import { createIds } from '@millhand/api'
import type { Database } from '@millhand/store'
import type { EmissionsRecord, UnsettledFiles } from '@millhand/task'
import { type ComputeOptions, createComputeService, emissionsSpec, unsettledSpec } from './compute.ts'
import { createFileService, fileCollections } from './files/file-service.ts'
import { modelUsedBy, usedByTask } from './input-file.ts'
import { createInspector } from './models/inspector.ts'
import { createOwnModels } from './models/own-models.ts'
import { type TaskIndex, type TaskRecord, tasksSpec } from './task.ts'

export interface OnDatabaseOptions
  extends Omit<ComputeOptions, 'tasks' | 'emissions' | 'unsettled' | 'files' | 'ownModels'> {
  /** How many bytes the files of an account may hold, in each mode. */
  readonly quotaBytes: number
}

export function computeOn(db: Database, options: OnDatabaseOptions) {
  const { blobs, cursors, clock, log, quotaBytes } = options
  const tasks = db.collection<TaskRecord, TaskIndex>(tasksSpec)
  const collections = fileCollections(db)
  const files = createFileService({
    ...collections,
    ...{ blobs, cursors, clock, log, quotaBytes },
    usedBy: usedByTask(tasks),
  })
  const ownModels = createOwnModels({
    collection: collections.models,
    files: files.files,
    inspector: createInspector({ clock, log }),
    usedBy: modelUsedBy(tasks),
    clock,
    ids: createIds({ now: () => clock.now() }),
  })
  const emissions = db.collection<EmissionsRecord, never>(emissionsSpec)
  const unsettled = db.collection<UnsettledFiles, never>(unsettledSpec)
  const stored = { tasks, emissions, unsettled, files: files.files, ownModels }
  return { compute: createComputeService({ ...options, ...stored }), files }
}
