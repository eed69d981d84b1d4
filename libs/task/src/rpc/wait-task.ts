import type { DescMessage, DescMethodUnary, MessageShape } from '@bufbuild/protobuf'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { forwardToOwner, isForwarded, ownerUnavailable, replicaStopping } from '@millhand/lease'
import { drainingKey, principal } from '@millhand/rpc'
import { requireTask } from '../require-task.ts'
import { hasEnded, type TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'

interface WaitRequest {
  readonly id: string
  readonly timeoutMs: number
  /** Wait for the next change after this version; for the end where it is not set. */
  readonly afterVersion?: number | undefined
}

/**
 * Answers with a task once it has changed or ended, or as it is when the wait is over: after the time that was asked
 * for, and no later than a second before the call's deadline, however often the owner changes meanwhile. Fails with
 * `unavailable` as soon as this replica stops: another goes on with the wait.
 */
export const waitTask = <T extends TaskBase, I extends DescMessage, O extends DescMessage>(
  { clock, replicas, tasks, watch }: Pick<TaskDeps<T>, 'clock' | 'replicas' | 'tasks' | 'watch'>,
  method: DescMethodUnary<I, O>,
  show: (task: T) => Promise<MessageShape<O>>,
) => {
  return async (req: MessageShape<I> & WaitRequest, call: HandlerContext): Promise<MessageShape<O>> => {
    const deadlineMs = call.timeoutMs() ?? Number.POSITIVE_INFINITY
    const until = clock.monotonic() + Math.min(req.timeoutMs, deadlineMs - ANSWER_MS)
    const leftMs = () => Math.max(0, Math.ceil(until - clock.monotonic()))
    const draining = call.values.get(drainingKey)
    const signal = AbortSignal.any([call.signal, draining])

    const get = async () => requireTask(req.id, await tasks.get(principal(call).tenant, req.id))
    const isEnough = (task: T) =>
      hasEnded(task) || (req.afterVersion !== undefined && task.resource_version > req.afterVersion)
    const waitHere = async () => {
      const task = await watch.until(req.id, get, isEnough, leftMs(), signal)
      // A wait that ends too soon: this replica does not hear of changes any more.
      if (!isEnough(task) && leftMs() > 0) throw ownerUnavailable()
      return await show(task)
    }
    const wait = forwardToOwner(replicas, method, waitHere)

    while (leftMs() > 0) {
      try {
        const timeoutMs = leftMs()
        return await wait({ ...req, timeoutMs }, call, { signal, timeoutMs: timeoutMs + ANSWER_MS })
      } catch (error) {
        if (draining.aborted) throw replicaStopping()
        if (call.signal.aborted || isForwarded(call) || !isPassing(error)) throw error
      }
      const pauseMs = Math.min(AGAIN_MS, leftMs())
      if (pauseMs > 0) await clock.sleep(pauseMs, signal).catch(() => {})
    }
    return await show(await get())
  }
}

/** The owner is changing, or does not answer. */
const isPassing = (error: unknown) =>
  error instanceof ConnectError && (error.code === Code.Unavailable || error.code === Code.DeadlineExceeded)

/** For the answer to arrive before its deadline. */
const ANSWER_MS = 1_000
/** How soon a wait that nobody could answer looks for the owner again. */
const AGAIN_MS = 100
