/** Removes tasks and their data once they have been kept long enough. */
import { firstIdAt } from '@millhand/api'
import { everyInterval } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import type { ComputeDeps } from './compute.ts'
import { hasEnded } from './task.ts'

const everyMs = 60_000

/** A large input that no task names is left over once its create must be over: 1 hour. */
const orphanAfterMs = 3_600_000

type RetentionDeps = Pick<ComputeDeps, 'tasks' | 'inputs' | 'emissions' | 'clock' | 'retentionMs'>

export async function removeExpired(deps: RetentionDeps, log: Log, signal: AbortSignal): Promise<void> {
  const { tasks, inputs, clock } = deps
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
async function removeExpiredTasks(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  let tenant = ''
  while (!signal.aborted) {
    const [first] = await deps.tasks.find('primary', { equals: [], after: [tenant], limit: 1 })
    if (!first) return
    tenant = first.tenant
    await removeExpiredOf(tenant, deps, signal)
  }
}

async function removeExpiredOf(
  tenant: string,
  { tasks, inputs, emissions, clock, retentionMs }: RetentionDeps,
  signal: AbortSignal,
) {
  const now = clock.now()
  // A task ends after its creation, so what is younger than the retention can't have outlived it.
  const before = [firstIdAt('task', now - retentionMs)]
  let after = ''
  while (!signal.aborted) {
    const oldest = await tasks.find('primary', { equals: [tenant], after: [after], before, limit: 100 })
    const expired = oldest.filter(task => hasEnded(task) && (task.data_expires_at ?? now) <= now)
    await Promise.all(
      expired.map(async task => {
        await inputs.remove(task)
        await emissions.removeAll(task)
        await tasks.remove(task)
      }),
    )
    const last = oldest.at(-1)
    if (!last) return
    after = last.id
  }
}
