/** A file that is a task's output: from the result that names it to the task. docs/decisions/files.md, "An output file". */
import type { OutputFiles } from '@millhand/task'
import type { ComputeDeps } from './compute.ts'
import { runOf } from './files/file.ts'
import type { TaskRecord } from './task.ts'

type OutputDeps = Pick<ComputeDeps, 'tasks' | 'files' | 'clock' | 'log' | 'retentionMs'>

export const outputFiles = ({ tasks, files, clock, log, retentionMs }: OutputDeps): OutputFiles => ({
  /** A file of this very run is kept for as long as the task's data. */
  async keep({ tenant, workId: task, attempt }, named) {
    const until = clock.now() + retentionMs
    const run = runOf(task, attempt)
    const isKept = await Promise.all(named.map(file => files.keepOutput(tenant, file, run, until)))
    return { kept: named.filter((_, at) => isKept[at]), until }
  },

  /** Removes the file that was kept for a result, unless its task names it now. Where that fails, it expires some time. */
  async settled({ tenant, workId: task_id }, kept) {
    try {
      const task = await tasks.get(tenant, task_id)
      const unnamed = kept.filter(file => file !== task?.output_file)
      await Promise.all(unnamed.map(file => files.remove(tenant, file)))
    } catch (error) {
      log.warn('output_file.left', { task_id, files: kept.length, error })
    }
  },
})

/** Removes the file that is a task's output, if it is one. */
export async function removeOutput(
  { files }: Pick<ComputeDeps, 'files'>,
  { tenant, output_file }: TaskRecord,
): Promise<void> {
  if (output_file !== undefined) await files.remove(tenant, output_file)
}
