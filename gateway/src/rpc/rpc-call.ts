/** A call on its way through Connect's handlers. */
import { createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { Caller } from '../admission/caller.ts'
import type { Inbound } from '../inbound.ts'

export class RpcCall {
  readonly exchange: Inbound
  /** Set by the gate. */
  caller!: Caller
  /** The bytes of the request that have come. */
  bytes = 0
  /** Milliseconds in which they came. */
  bodyMs = 0
  /** Counts them as the caller's; set by the gate where they are counted. Fails with `concurrency_limited`. */
  count: ((bytes: number) => void) | undefined
  /** What the call failed with. */
  failure: unknown

  constructor(exchange: Inbound) {
    this.exchange = exchange
  }
}

export const rpcCallKey = createContextKey<RpcCall | undefined>(undefined, { description: 'call of the gateway' })

/** The call of a handler's context. */
export function callOf({ values }: Pick<HandlerContext, 'values'>): RpcCall {
  const call = values.get(rpcCallKey)
  if (call === undefined) throw new Error('a handler was called without its call')
  return call
}
