import { type FencingToken, type Refusal, refuse } from '@millhand/lease'
import type { TaskBase } from '../task.ts'
import type { Batch } from './emission.ts'
import { maxInRun } from './sequence.ts'

/** What all runs of a task may emit: 64 MiB. */
const maxBytes = 64 * 1024 * 1024

/** Whether the run that began with a version has emitted all of a batch, as its task's history tells. */
export const isCounted = ({ history }: TaskBase, version: number, { from, count }: Batch): boolean =>
  history.some(run => run.version === version && (run.emitted ?? 0) >= from + count)

/** The task once its run has emitted a batch, or why that can't be. No change of state. Pure. */
export function appendEmissions<T extends TaskBase>(task: T, held: FencingToken, batch: Batch): T | Refusal {
  const run = task.history.at(-1)
  const isHeld = task.status === 'running' && task.lease_id === held.lease_id && task.attempt === held.attempt
  if (!run || !isHeld) return refuse('stale_lease')
  const before = run.emitted ?? 0
  const after = batch.from + batch.count
  if (batch.from !== before) return refuse(after <= before ? 'counted' : 'not_next')
  const emitted_bytes = (task.emitted_bytes ?? 0) + batch.bytes
  if (after > maxInRun || emitted_bytes > maxBytes) return refuse('full')
  return {
    ...task,
    emitted_bytes,
    progress: batch.progress ?? task.progress,
    history: [...task.history.slice(0, -1), { ...run, emitted: after }],
  }
}
