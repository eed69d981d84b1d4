/** Files that may have been kept for a result that no task has: compute was away when that was to be settled. */
import type { Result } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { everyInterval } from '@millhand/runner'
import { removeFile } from './remove-file.ts'
import type { WorkforceDeps } from './workforce.ts'

export interface LeftFiles {
  /** Hears of files that are to go unless the result's task comes to name them. */
  add(result: Result, files: readonly string[]): void
  /** Removes them until the signal ends. What is left then goes when its time is over. */
  run(signal: AbortSignal): Promise<void>
}

const EVERY_MS = 10_000

export function createLeftFiles(deps: Pick<WorkforceDeps, 'tasks' | 'files' | 'clock' | 'log'>): LeftFiles {
  /** By the lease of the result. */
  const left = new Map<string, { readonly result: Result; readonly files: readonly string[] }>()

  return {
    add: (result, files) => void left.set(result.leaseId, { result, files }),
    run: signal =>
      everyInterval(deps.clock, EVERY_MS, signal, async () => {
        for (const [lease, { result, files }] of left) {
          if (signal.aborted) return
          try {
            if (await mayComeAgain(deps, result)) continue
            await removeUnnamed(deps, result, files)
            left.delete(lease)
          } catch (error) {
            deps.log.warn('output_files.left', { task_id: result.workId, files: files.length, error })
          }
        }
      }),
  }
}

/** Its executor says it again for as long as the lease lives. */
async function mayComeAgain(
  { tasks }: Pick<WorkforceDeps, 'tasks'>,
  { tenant, workId, leaseId, attempt }: Result,
): Promise<boolean> {
  const task = await tasks.get(tenant, workId)
  return task?.finished_at === undefined && task?.lease_id === leaseId && task.attempt === attempt
}

/** Of files that were kept for a result those that its task does not name. Fails where that can't be done now. */
export async function removeUnnamed(
  { tasks, files }: Pick<WorkforceDeps, 'tasks' | 'files'>,
  { tenant, workId }: Result,
  kept: readonly string[],
): Promise<void> {
  const task = await tasks.get(tenant, workId)
  const unnamed = kept.filter(file => file !== task?.output_file && !task?.artifacts?.includes(file))
  await Promise.all(unnamed.map(id => removeFile(files, { tenant }, id)))
}
