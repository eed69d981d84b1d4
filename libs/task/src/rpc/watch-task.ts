import type { DescMessage, DescMethodServerStreaming, MessageShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { forwardStreamToOwner } from '@millhand/lease'
import { principal } from '@millhand/rpc'
import { readStream, type StreamDeps } from '../stream/read-stream.ts'
import type { TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'
import { eventMessage, type ToMessage } from '../task-message.ts'

interface WatchRequest {
  readonly id: string
  /** The sequence number of the last event that the caller has. */
  readonly after?: bigint | undefined
}

/**
 * Tells what happens to a task after a sequence number, until its end. Fails with `unavailable` when this replica stops and when
 * the owner changes: its caller asks again, with the sequence number of the last event that it has.
 */
export const watchTask = <T extends TaskBase, I extends DescMessage, O extends DescMessage>(
  deps: StreamDeps<T> & Pick<TaskDeps<T>, 'replicas'>,
  method: DescMethodServerStreaming<I, O>,
  toMessage: ToMessage<T, unknown>,
): ((req: MessageShape<I> & WatchRequest, call: HandlerContext) => AsyncGenerator<MessageShape<O>>) =>
  forwardStreamToOwner(deps.replicas, method, (req, call, signal) => {
    const { id, after = 0n } = req as MessageShape<I> & WatchRequest
    const ref = { tenant: principal(call).tenant, id }
    return readStream(deps, ref, Number(after), signal, told => eventMessage(method.output, told, toMessage))
  })
