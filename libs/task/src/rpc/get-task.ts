import type { HandlerContext } from '@connectrpc/connect'
import { principal } from '@millhand/rpc'
import { requireTask } from '../require-task.ts'
import type { TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'

/** Gets one of the caller's tasks. */
export const getTask =
  <T extends TaskBase, M>({ tasks }: Pick<TaskDeps<T>, 'tasks'>, show: (task: T) => Promise<M>) =>
  async (req: { readonly id: string }, call: HandlerContext): Promise<M> =>
    show(requireTask(req.id, await tasks.get(principal(call).tenant, req.id)))
