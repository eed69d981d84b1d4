import type { Task } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { ComputeDeps } from './compute-deps.ts'
import type { TaskRecord } from './task.ts'
import { toMessage } from './to-message.ts'

/** A task as a call for this one task shows it: with input, output and, while it is queued, its position. */
export async function showWhole(
  { inputs, position }: Pick<ComputeDeps, 'inputs' | 'position'>,
  task: TaskRecord,
): Promise<Task> {
  return toMessage(task, { input: await inputs.read(task), output: task.output, position: position(task) })
}
