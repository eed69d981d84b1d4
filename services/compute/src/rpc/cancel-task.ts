import type { HandlerContext } from '@connectrpc/connect'
import {
  CancelOutcome,
  type CancelTaskRequest,
  type TaskCancellation,
} from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import { hasEnded, unknownTask } from '@millhand/task'
import type { ComputeDeps } from '../compute.ts'
import { showWhole } from '../show-whole.ts'
import type { TaskRecord } from '../task.ts'

/** Cancels a task; says which of three things happened. Idempotent. */
export const cancelTask =
  (deps: ComputeDeps) =>
  async (req: CancelTaskRequest, call: HandlerContext): Promise<TaskCancellation> => {
    const { tenant } = principal(call)
    const result = await deps.tasks.change(tenant, req.id, { kind: 'cancel' })
    switch (result.kind) {
      case 'missing':
        throw unknownTask(req.id)
      case 'refused':
        return answer(
          deps,
          hasEnded(result.current) ? CancelOutcome.ALREADY_FINISHED : CancelOutcome.REQUESTED,
          result.current,
        )
      case 'changed':
        return answer(deps, hasEnded(result.after) ? CancelOutcome.CANCELLED : CancelOutcome.REQUESTED, result.after)
    }
  }

const answer = async (deps: ComputeDeps, outcome: CancelOutcome, task: TaskRecord): Promise<TaskCancellation> => ({
  $typeName: 'millhand.compute.v1.TaskCancellation',
  id: task.id,
  outcome,
  task: await showWhole(deps, task),
})
