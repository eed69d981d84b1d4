import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { principal } from '@millhand/rpc'
import { requireTask } from '../require-task.ts'
import type { TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'

/** Makes a token that opens the stream of one of the caller's tasks. */
export const createStreamToken =
  <T extends TaskBase>({ tasks, streamTokens }: Pick<TaskDeps<T>, 'tasks' | 'streamTokens'>) =>
  async (req: { readonly id: string }, call: HandlerContext) => {
    const caller = principal(call)
    const { id: taskId } = requireTask(req.id, await tasks.get(caller.tenant, req.id))
    const { token, expiresAt } = streamTokens.make(caller, taskId)
    return { token, taskId, expiresAt: timestampFromMs(expiresAt) }
  }
