import type { WorkforceTask } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import type { TaskRecord } from './task.ts'
import { toMessage } from './to-message.ts'
import type { WorkforceDeps } from './workforce-deps.ts'

/** A task as a call for this one task shows it: with its brief, its output and, while it is queued, its position. */
export async function showWhole(
  { inputs, position }: Pick<WorkforceDeps, 'inputs' | 'position'>,
  task: TaskRecord,
): Promise<WorkforceTask> {
  return toMessage(task, { brief: await inputs.read(task), output: task.output, position: position(task) })
}
