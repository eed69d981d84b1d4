import type { HandlerContext } from '@connectrpc/connect'
import { CancelOutcome } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { principal } from '@millhand/rpc'
import { taskNotFound } from '../require-task.ts'
import { hasEnded, type TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'

/** Cancels a task; the outcome says which of three things happened. Idempotent. */
export const cancelTask =
  <T extends TaskBase, M>({ tasks }: Pick<TaskDeps<T>, 'tasks'>, show: (task: T) => Promise<M>) =>
  async (req: { readonly id: string }, call: HandlerContext) => {
    const { tenant } = principal(call)
    const answer = async (outcome: CancelOutcome, task: T) => ({ id: task.id, outcome, task: await show(task) })
    const result = await tasks.change(tenant, req.id, { kind: 'cancel' })
    switch (result.kind) {
      case 'missing':
        throw taskNotFound(req.id)
      case 'refused':
        return answer(
          hasEnded(result.current) ? CancelOutcome.ALREADY_FINISHED : CancelOutcome.REQUESTED,
          result.current,
        )
      case 'changed':
        return answer(hasEnded(result.after) ? CancelOutcome.CANCELLED : CancelOutcome.REQUESTED, result.after)
    }
  }
