/** Calls from the gateway to services. */
import type { DescMethod, DescMethodUnary } from '@bufbuild/protobuf'
import { type ContextValues, createContextValues } from '@connectrpc/connect'
import { type Principal, principalKey, requestIdKey } from '@millhand/rpc'
import type { Exchange } from '../exchange.ts'

/** Milliseconds that a call may take, besides a wait that its caller asks for. */
export const CALL_MS = 10_000

/** What every call carries along. */
export function callValues(caller: Principal, exchange: Exchange): ContextValues {
  return createContextValues().set(principalKey, caller).set(requestIdKey, exchange.requestId)
}

/** The method as one of a single request and a single answer. Throws where it is a stream. */
export function unary(method: DescMethod): DescMethodUnary {
  if (method.methodKind !== 'unary') throw new Error(`${method} is a stream, which HTTP has no route for`)
  return method as DescMethodUnary
}
