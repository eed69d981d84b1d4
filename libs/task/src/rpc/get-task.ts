import type { HandlerContext } from '@connectrpc/connect'
import { principal } from '@millhand/rpc'
import { foundTask } from '../found-task.ts'
import type { TaskLife } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'

/** Gets one of the caller's tasks. */
export const getTask =
  <T extends TaskLife, M>({ tasks }: Pick<TaskDeps<T>, 'tasks'>, show: (task: T) => Promise<M>) =>
  async (req: { readonly id: string }, call: HandlerContext): Promise<M> =>
    show(foundTask(req.id, await tasks.get(principal(call).tenant, req.id)))
