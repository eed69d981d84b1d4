/** Calls the service of a method. */
import type { DescMethod, DescMethodUnary, MessageShape } from '@bufbuild/protobuf'
import { ConnectError, type ContextValues, createContextValues, type Transport } from '@connectrpc/connect'
import { type Principal, principalKey, requestIdKey, traceKey } from '@millhand/rpc'
import type { Inbound } from '../inbound.ts'

export type Message = MessageShape<DescMethodUnary['output']>

/** Milliseconds for the calls of a request, in addition to a wait that the caller asks for. */
export const CALL_MS = 10_000

/** What every call carries: the principal, the request id and, where traces are on, the trace. */
export function callValues(
  caller: Principal,
  { requestId, trace }: Pick<Inbound, 'requestId' | 'trace'>,
): ContextValues {
  const values = createContextValues().set(principalKey, caller).set(requestIdKey, requestId)
  return trace === undefined ? values : values.set(traceKey, trace)
}

interface Call {
  readonly exchange: Pick<Inbound, 'addHeader'>
  readonly values: ContextValues
  /** Milliseconds. */
  readonly timeoutMs: number
  /** Whether the service's answer has rate headers of the caller's quota, which every answer passes on. */
  readonly tellsQuota: boolean
}

/** The answer of the service. Fails as the service does. */
export async function call(
  transport: Transport,
  method: DescMethodUnary,
  request: Message | Record<string, unknown>,
  { exchange, values, timeoutMs, tellsQuota }: Call,
): Promise<Message> {
  try {
    const answer = await transport.unary(method, undefined, timeoutMs, undefined, request, values)
    if (tellsQuota) addQuota(exchange, answer.header)
    return answer.message
  } catch (error) {
    if (tellsQuota && error instanceof ConnectError) addQuota(exchange, error.metadata)
    throw error
  }
}

function addQuota(exchange: Pick<Inbound, 'addHeader'>, headers: Headers): void {
  for (const name of ['RateLimit-Policy', 'RateLimit']) {
    const value = headers.get(name)
    if (value !== null) exchange.addHeader(name, value)
  }
}

/** The method as one of a single request and a single answer. Throws where it is a stream. */
export function unary(method: DescMethod): DescMethodUnary {
  if (method.methodKind !== 'unary') throw new Error(`${method} is a stream, which HTTP has no route for`)
  return method as DescMethodUnary
}
