import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { leaseOf } from '@millhand/task'
import type { TaskRecord } from './task.ts'
import type { WorkforceDeps } from './workforce-deps.ts'

/** What an executor gets of a task: its brief, its files by name and size, and how it is to be done. */
export async function toLease({ inputs }: Pick<WorkforceDeps, 'inputs'>, task: TaskRecord): Promise<Lease | undefined> {
  const brief = await inputs.read(task)
  if (brief === undefined) return undefined
  const { engine, max_cost_micros: most, spent_micros: spent = 0 } = task
  return {
    ...leaseOf(task, brief),
    parameters: { engine, ...(most !== undefined && { max_cost_micros: Math.max(0, most - spent) }) },
    files: task.files.map(({ name, media_type, bytes }) => ({
      $typeName: 'millhand.lease.v1.GivenFile',
      name,
      mediaType: media_type,
      bytes,
    })),
  }
}
