/** The whole of compute on one database: its tasks and its files, which know of each other. */
import type { Database } from '@millhand/store'
import type { EmissionsRecord, UnsettledFiles } from '@millhand/task'
import { type ComputeOptions, createComputeService, emissionsSpec, unsettledSpec } from './compute.ts'
import { createFileService, fileCollections } from './files/file-service.ts'
import { usedByTask } from './input-file.ts'
import { type TaskIndex, type TaskRecord, tasksSpec } from './task.ts'

export interface OnDatabaseOptions extends Omit<ComputeOptions, 'tasks' | 'emissions' | 'unsettled' | 'files'> {
  /** How many bytes the files of an account may hold, in each mode. */
  readonly quotaBytes: number
}

export function computeOn(db: Database, options: OnDatabaseOptions) {
  const { blobs, cursors, clock, log, quotaBytes } = options
  const tasks = db.collection<TaskRecord, TaskIndex>(tasksSpec)
  const files = createFileService({
    ...fileCollections(db),
    ...{ blobs, cursors, clock, log, quotaBytes },
    usedBy: usedByTask(tasks),
  })
  const emissions = db.collection<EmissionsRecord, never>(emissionsSpec)
  const unsettled = db.collection<UnsettledFiles, never>(unsettledSpec)
  return { compute: createComputeService({ ...options, tasks, emissions, unsettled, files: files.files }), files }
}
