import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { DeleteTaskDataRequest, Task } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import type { ComputeDeps } from '../compute.ts'
import { showWhole } from '../show-whole.ts'
import { foundTask } from '../task-lookup.ts'

/** Removes an ended task's input and output at once and keeps its record. Idempotent. */
export const deleteTaskData =
  (deps: ComputeDeps) =>
  async (req: DeleteTaskDataRequest, call: HandlerContext): Promise<Task> => {
    const { tenant } = principal(call)
    const result = await deps.tasks.change(tenant, req.id, { kind: 'data_deleted' })
    switch (result.kind) {
      case 'missing':
        return showWhole(deps, foundTask(req.id, undefined))
      case 'refused':
        if (result.reason === 'not_ended') {
          throw fail(
            'invalid_state',
            `The task is ${result.current.status}; its data can be removed once it has ended. Cancel it first.`,
          )
        }
        // Removed before, as the record says; the process may have ended before the input went.
        await deps.inputs.remove(tenant, req.id)
        return showWhole(deps, result.current)
      case 'changed':
        await deps.inputs.remove(tenant, req.id)
        return showWhole(deps, result.after)
    }
  }
