import type { HandlerContext } from '@connectrpc/connect'
import type { GetTaskRequest, Task } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import { foundTask } from '@millhand/task'
import type { ComputeDeps } from '../compute.ts'
import { showWhole } from '../show-whole.ts'

/** Gets a task with its input and output. */
export const getTask =
  (deps: ComputeDeps) =>
  async (req: GetTaskRequest, call: HandlerContext): Promise<Task> => {
    const { tenant } = principal(call)
    return showWhole(deps, foundTask(req.id, await deps.tasks.get(tenant, req.id)))
  }
