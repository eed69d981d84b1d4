import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import type { Task } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { WaitTaskRequest } from '@millhand/api/gen/millhand/compute/v1/task_stream_pb.ts'
import { atOwner, ownerChanges, replicaStops, wasPassedOn } from '@millhand/lease'
import { drainingKey, principal } from '@millhand/rpc'
import { foundTask, hasEnded } from '@millhand/task'
import type { ComputeDeps } from '../compute.ts'
import { showWhole } from '../show-whole.ts'
import type { TaskRecord } from '../task.ts'

/**
 * Answers with a task once it has changed or ended, or as it is when the wait is over: after the time that was asked
 * for, and no later than a second before the call's deadline, however often the owner changes meanwhile. Fails with
 * `unavailable` as soon as this replica stops: another goes on with the wait.
 */
export const waitTask = (deps: ComputeDeps) => {
  const { clock, replicas, tasks, watch } = deps

  return async (req: WaitTaskRequest, call: HandlerContext): Promise<Task> => {
    const deadlineMs = call.timeoutMs() ?? Number.POSITIVE_INFINITY
    const until = clock.monotonic() + Math.min(req.timeoutMs, deadlineMs - ANSWER_MS)
    const leftMs = () => Math.max(0, Math.ceil(until - clock.monotonic()))
    const draining = call.values.get(drainingKey)
    const signal = AbortSignal.any([call.signal, draining])

    const get = async () => foundTask(req.id, await tasks.get(principal(call).tenant, req.id))
    const isEnough = (task: TaskRecord) =>
      hasEnded(task) || (req.afterVersion !== undefined && task.resource_version > req.afterVersion)
    const waitHere = async () => {
      const task = await watch.until(req.id, get, isEnough, leftMs(), signal)
      // A wait that ends too soon: this replica does not hear of changes any more.
      if (!isEnough(task) && leftMs() > 0) throw ownerChanges()
      return await showWhole(deps, task)
    }
    const wait = atOwner(replicas, ComputeService.method.waitTask, waitHere)

    while (leftMs() > 0) {
      try {
        const timeoutMs = leftMs()
        return await wait({ ...req, timeoutMs }, call, { signal, timeoutMs: timeoutMs + ANSWER_MS })
      } catch (error) {
        if (draining.aborted) throw replicaStops()
        if (call.signal.aborted || wasPassedOn(call) || !isPassing(error)) throw error
      }
      const pauseMs = Math.min(AGAIN_MS, leftMs())
      if (pauseMs > 0) await clock.sleep(pauseMs, signal).catch(() => {})
    }
    return await showWhole(deps, await get())
  }
}

/** The owner is changing, or does not answer. */
const isPassing = (error: unknown) =>
  error instanceof ConnectError && (error.code === Code.Unavailable || error.code === Code.DeadlineExceeded)

/** For the answer to arrive before its deadline. */
const ANSWER_MS = 1_000
/** How soon a wait that nobody could answer looks for the owner again. */
const AGAIN_MS = 100
