import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import type { CreateStreamTokenRequest } from '@millhand/api/gen/millhand/compute/v1/task_stream_pb.ts'
import { principal } from '@millhand/rpc'
import type { ComputeDeps } from '../compute.ts'
import { foundTask } from '../task-lookup.ts'

/** Makes a token that opens the stream of one of the caller's tasks. */
export const createStreamToken =
  ({ tasks, streamTokens }: ComputeDeps) =>
  async (req: CreateStreamTokenRequest, call: HandlerContext) => {
    const caller = principal(call)
    const { id: taskId } = foundTask(req.id, await tasks.get(caller.tenant, req.id))
    const { token, expiresAt } = streamTokens.make(caller, taskId)
    return { token, taskId, expiresAt: timestampFromMs(expiresAt) }
  }
