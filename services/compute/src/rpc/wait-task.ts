import { Code, type ConnectError, type HandlerContext } from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import type { Task, WaitTaskRequest } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import { atOwner, ownerChanges, wasPassedOn } from '../at-owner.ts'
import type { ComputeDeps } from '../compute.ts'
import { showWhole } from '../show-whole.ts'
import { hasEnded, type TaskRecord } from '../task.ts'
import { foundTask } from '../task-lookup.ts'

/** Answers with a task once it has changed or ended, or as it is when the wait is over. */
export const waitTask = (deps: ComputeDeps) => {
  const { clock, replicas, tasks, watch } = deps

  const waitHere = async (req: WaitTaskRequest, call: HandlerContext): Promise<TaskRecord> => {
    const get = async () => foundTask(req.id, await tasks.get(principal(call).tenant, req.id))
    return await watch.until(req.id, get, task => isEnough(req, task), req.timeoutMs, call.signal)
  }

  return async (req: WaitTaskRequest, call: HandlerContext): Promise<Task> => {
    const until = clock.monotonic() + req.timeoutMs
    const isOver = () => clock.monotonic() >= until || call.signal.aborted
    const show = async (request: WaitTaskRequest) => {
      const task = await waitHere(request, call)
      // A wait that ends too soon: this replica does not hear of changes any more.
      if (!isEnough(request, task) && !isOver()) throw ownerChanges()
      return await showWhole(deps, task)
    }
    const wait = atOwner(replicas, ComputeService.method.waitTask, show)
    for (;;) {
      const left = { ...req, timeoutMs: Math.max(0, Math.ceil(until - clock.monotonic())) }
      try {
        return await wait(left, call)
      } catch (error) {
        if ((error as ConnectError).code !== Code.Unavailable || wasPassedOn(call)) throw error
        if (isOver()) return await showWhole(deps, await waitHere({ ...req, timeoutMs: 0 }, call))
        await clock.sleep(AGAIN_MS, call.signal)
      }
    }
  }
}

const isEnough = (req: WaitTaskRequest, task: TaskRecord): boolean =>
  hasEnded(task) || (req.afterVersion !== undefined && task.resource_version > req.afterVersion)

/** How soon a wait that nobody could answer looks for the owner again. */
const AGAIN_MS = 100
