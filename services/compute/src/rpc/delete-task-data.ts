import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { DeleteTaskDataRequest, Task } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import { foundTask, hasEnded, unknownTask } from '@millhand/task'
import type { ComputeDeps } from '../compute.ts'
import { showWhole } from '../show-whole.ts'

/** Removes an ended task's input and output, and what its runs have emitted, at once and keeps its record. Idempotent. */
export const deleteTaskData =
  (deps: ComputeDeps) =>
  async (req: DeleteTaskDataRequest, call: HandlerContext): Promise<Task> => {
    const { tenant } = principal(call)
    const before = foundTask(req.id, await deps.tasks.get(tenant, req.id))
    if (!hasEnded(before)) {
      throw fail(
        'invalid_state',
        `The task is ${before.status}; its data can be removed once it has ended. Cancel it first.`,
      )
    }
    // First, while the record still names it: who dies in between asks again.
    if (before.output_file !== undefined) await deps.files.remove(tenant, before.output_file)
    await deps.inputs.remove(before)
    const result = await deps.tasks.change(tenant, req.id, { kind: 'data_deleted' })
    if (result.kind === 'missing') throw unknownTask(req.id)
    // Refused where the record says so already; the process may have ended before the rest went.
    const task = result.kind === 'changed' ? result.after : result.current
    await deps.emissions.removeAll(task)
    return showWhole(deps, task)
  }
