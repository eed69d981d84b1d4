/** Removes tasks and their data once they have been kept long enough. */
import { firstIdAt } from '@millhand/api'
import { everyInterval } from '@millhand/process'
import { traceIds } from '@millhand/telemetry'
import { hasEnded, type TaskBase } from './task.ts'
import type { TaskDeps } from './task-deps.ts'

const everyMs = 60_000

/** A large input that no task names is left over once its create must be over: 1 hour. */
const orphanAfterMs = 3_600_000

type RetentionDeps<T extends TaskBase> = Pick<
  TaskDeps<T>,
  'kind' | 'tasks' | 'inputs' | 'emissions' | 'clock' | 'log' | 'retentionMs'
>

/**
 * Removes them every minute until the signal ends: input, what its runs emitted, then the task. What can't be removed
 * is tried again the next minute and keeps nothing else. Never rejects.
 */
export async function removeExpired<T extends TaskBase>(deps: RetentionDeps<T>, signal: AbortSignal): Promise<void> {
  const { tasks, inputs, clock, log } = deps
  let sweepAt = 0
  await everyInterval(clock, everyMs, signal, async () => {
    try {
      await removeExpiredTasks(deps, signal)
      if (clock.monotonic() < sweepAt) return
      sweepAt = clock.monotonic() + orphanAfterMs
      await inputs.sweep(tasks.get, clock.now() - orphanAfterMs, signal)
    } catch (error) {
      log.error('retention.failed', { error })
    }
  })
}

/** Tenant by tenant, oldest first: what has ended and outlived its `data_expires_at`. */
async function removeExpiredTasks<T extends TaskBase>(deps: RetentionDeps<T>, signal: AbortSignal): Promise<void> {
  let tenant = ''
  while (!signal.aborted) {
    const [first] = await deps.tasks.find('primary', { equals: [], after: [tenant], limit: 1 })
    if (!first) return
    tenant = first.tenant
    await removeExpiredOf(tenant, deps, signal)
  }
}

async function removeExpiredOf<T extends TaskBase>(tenant: string, deps: RetentionDeps<T>, signal: AbortSignal) {
  const { kind, tasks, clock, retentionMs } = deps
  const now = clock.now()
  // A task ends after its creation, so what is younger than the retention can't have outlived it.
  const before = [firstIdAt(kind.idPrefix, now - retentionMs)]
  let after = ''
  while (!signal.aborted) {
    const oldest = await tasks.find('primary', { equals: [tenant], after: [after], before, limit: 100 })
    const expired = oldest.filter(task => hasEnded(task) && (task.data_expires_at ?? now) <= now)
    await Promise.all(expired.map(task => remove(deps, task)))
    const last = oldest.at(-1)
    if (!last) return
    after = last.id
  }
}

/** The task goes last: as long as it is there its data is found. */
async function remove<T extends TaskBase>({ tasks, inputs, emissions, log }: RetentionDeps<T>, task: T): Promise<void> {
  try {
    await inputs.remove(task)
    await emissions.removeAll(task)
    await tasks.remove(task)
  } catch (error) {
    log.error('retention.task_left', { task_id: task.id, ...traceIds(task.traceparent), error })
  }
}
