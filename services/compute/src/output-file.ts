/** A file that is a task's output: from the result that names it to the task. docs/decisions/files.md, "An output file". */
import type { Collection } from '@millhand/store'
import { type OutputFiles, outputFiles, type UnsettledFiles } from '@millhand/task'
import type { ComputeDeps } from './compute-deps.ts'
import { runOf } from './files/file.ts'
import type { TaskRecord } from './task.ts'

type OutputDeps = Pick<ComputeDeps, 'tasks' | 'files' | 'clock' | 'log' | 'retentionMs'>

export const filesOfResults = (deps: OutputDeps, unsettled: Collection<UnsettledFiles>): OutputFiles =>
  outputFiles<TaskRecord>({
    ...deps,
    unsettled,
    keep: ({ tenant, workId, attempt }, file, until) =>
      deps.files.keepOutput(tenant, file, runOf(workId, attempt), until),
    remove: (tenant, file) => deps.files.remove(tenant, file),
    namedBy: ({ output_file }) => (output_file === undefined ? [] : [output_file]),
  })

/** Removes the file that is a task's output, if it is one. */
export async function removeOutput(
  { files }: Pick<ComputeDeps, 'files'>,
  { tenant, output_file }: TaskRecord,
): Promise<void> {
  if (output_file !== undefined) await files.remove(tenant, output_file)
}
