/** The implementation of a method, and what its errors become. */
import type { DescMethod, Message } from '@bufbuild/protobuf'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'

/** An implementation whatever its kind; the descriptor says what it takes and gives. */
export type Handler = (request: Message | AsyncIterable<Message>, call: HandlerContext) => unknown

export const notImplemented = (method: DescMethod): ConnectError =>
  new ConnectError(`${method.parent.typeName}.${method.name} is not implemented`, Code.Unimplemented)

/** What a handler threw, as its caller may see it: the message of an error that is not ours stays in the cause. */
export const asConnectError = (reason: unknown): ConnectError =>
  reason instanceof ConnectError
    ? reason
    : new ConnectError('internal error', Code.Internal, undefined, undefined, reason)
