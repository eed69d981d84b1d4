import type { TaskBase } from './task.ts'
import type { TaskDeps } from './task-deps.ts'
import type { ToMessage } from './task-message.ts'

/** The task as a call for this one task shows it: with its input, its output and, while it is queued, its position. */
export async function showTask<T extends TaskBase, M>(
  { inputs, position }: Pick<TaskDeps<T>, 'inputs' | 'position'>,
  toMessage: ToMessage<T, M>,
  task: T,
): Promise<M> {
  return toMessage(task, { input: await inputs.read(task), output: task.output, position: position(task) })
}
