/** A file that is a task's output: from the result that names it to the task. docs/decisions/files.md, "An output file". */
import type { Result } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Outcome } from '@millhand/lease'
import type { ComputeDeps } from './compute.ts'
import { runOf } from './files/file.ts'

/** The outcome of a result that names a file: of this very run, and kept from now on for as long as the task's data. */
export async function keptOutput(
  { files, clock, retentionMs }: Pick<ComputeDeps, 'files' | 'clock' | 'retentionMs'>,
  { tenant, workId: task, attempt }: Result,
  file: string,
): Promise<Outcome> {
  const kept_until = clock.now() + retentionMs
  const isKept = await files.keepOutput(tenant, file, runOf(task, attempt), kept_until)
  return isKept ? { kind: 'output_file', file, kept_until } : { kind: 'failure', failure: missing }
}

const missing = {
  code: 'output_missing',
  message: 'The file that has the output is not in the store any more.',
  retryable: true,
}

/** Removes the file that was kept for a result, unless its task names it now. Where that fails, it expires some time. */
export async function dropUnnamed(
  { tasks, files, log }: Pick<ComputeDeps, 'tasks' | 'files' | 'log'>,
  { tenant, workId: task_id }: Result,
  file: string,
): Promise<void> {
  try {
    const task = await tasks.get(tenant, task_id)
    if (task?.output_file !== file) await files.remove(tenant, file)
  } catch (error) {
    log.warn('output_file.left', { task_id, file, error })
  }
}
