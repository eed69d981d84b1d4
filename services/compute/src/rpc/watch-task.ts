import type { HandlerContext } from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import type { TaskEvent, WatchTaskRequest } from '@millhand/api/gen/millhand/compute/v1/task_stream_pb.ts'
import { streamAtOwner } from '@millhand/lease'
import { principal } from '@millhand/rpc'
import { readStream } from '@millhand/task'
import type { ComputeDeps } from '../compute.ts'
import { eventMessage } from '../to-message.ts'

/**
 * Tells what happens to a task after a place, until its end. Fails with `unavailable` when this replica stops and when
 * the owner changes: its caller asks again, with the place of the last event that it has.
 */
export const watchTask = (deps: ComputeDeps) =>
  streamAtOwner(
    deps.replicas,
    ComputeService.method.watchTask,
    (req: WatchTaskRequest, call: HandlerContext, signal: AbortSignal): AsyncIterable<TaskEvent> =>
      readStream(deps, { tenant: principal(call).tenant, id: req.id }, Number(req.after ?? 0), signal, eventMessage),
  )
