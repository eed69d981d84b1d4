import type { HandlerContext } from '@connectrpc/connect'
import type { Task, WaitTaskRequest } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import type { ComputeDeps } from '../compute.ts'
import { showWhole } from '../show-whole.ts'
import { hasEnded } from '../task.ts'
import { foundTask } from '../task-lookup.ts'

/** Answers with a task once it has changed or ended, or as it is when the wait is over. */
export const waitTask =
  (deps: ComputeDeps) =>
  async (req: WaitTaskRequest, call: HandlerContext): Promise<Task> => {
    const { tenant } = principal(call)
    const task = await deps.watch.until(
      req.id,
      async () => foundTask(req.id, await deps.tasks.get(tenant, req.id)),
      task => hasEnded(task) || (req.afterVersion !== undefined && task.resource_version > req.afterVersion),
      req.timeoutMs,
      call.signal,
    )
    return showWhole(deps, task)
  }
