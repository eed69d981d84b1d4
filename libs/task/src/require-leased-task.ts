import { fail } from '@millhand/api'
import type { RunRef } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { hasEnded, type TaskBase } from './task.ts'

/** The task that a run is of, as it is in the store. Fails with `conflict` where the run's lease is not the live one. */
export async function requireLeasedTask<T extends TaskBase>(
  tasks: { get(tenant: string, id: string): Promise<T | undefined> },
  { tenant, workId, leaseId, attempt }: RunRef,
): Promise<T> {
  const task = await tasks.get(tenant, workId)
  if (task && !hasEnded(task) && task.lease_id === leaseId && task.attempt === attempt) return task
  throw fail('conflict', 'The lease is not the live one.')
}
