import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { principal } from '@millhand/rpc'
import { requireTask, taskNotFound } from '../require-task.ts'
import { hasEnded, type TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'

/**
 * Removes an ended task's input and output, and what its runs have emitted, at once and keeps its record; `removeOwn`
 * removes what else its kind keeps of them. Idempotent.
 */
export const deleteTaskData =
  <T extends TaskBase, M>(
    { tasks, inputs, emissions }: Pick<TaskDeps<T>, 'tasks' | 'inputs' | 'emissions'>,
    removeOwn: (task: T) => Promise<unknown>,
    show: (task: T) => Promise<M>,
  ) =>
  async (req: { readonly id: string }, call: HandlerContext): Promise<M> => {
    const { tenant } = principal(call)
    const before = requireTask(req.id, await tasks.get(tenant, req.id))
    if (!hasEnded(before)) {
      throw fail(
        'invalid_state',
        `The task is ${before.status}; its data can be removed once it has ended. Cancel it first.`,
      )
    }
    // First, while the record still names it: who dies in between asks again.
    await removeOwn(before)
    await inputs.remove(before)
    const result = await tasks.change(tenant, req.id, { kind: 'data_deleted' })
    if (result.kind === 'missing') throw taskNotFound(req.id)
    // Refused where the record says so already; the process may have ended before the rest went.
    const task = result.kind === 'changed' ? result.after : result.current
    // What it has been given since it was read.
    if (result.kind === 'changed' && result.before.output_file !== before.output_file) await removeOwn(result.before)
    await emissions.removeAll(task)
    return show(task)
  }
