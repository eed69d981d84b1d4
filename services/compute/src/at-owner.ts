/** Calls that are answered by the replica that owns the queues: what waits for work, or for its change, waits there. */
import type { DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import type { HandlerContext, Transport } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { Owner } from '@millhand/lease'

export interface Replicas {
  /** Which replica of compute owns the queues. */
  owner(): Owner
  /** Reaches the replica at an address. */
  peer(address: string): Transport
}

/** The whole service where it runs once. */
export const onlyReplica: Replicas = {
  owner: () => 'here',
  peer: () => {
    throw new Error('there is no other replica')
  },
}

type Unary<M extends DescMethodUnary> = (
  request: MessageShape<M['input']>,
  call: HandlerContext,
) => Promise<MessageShape<M['output']>>

/** What ends a call that is passed on: its own signal and deadline, or sooner. */
interface Limits {
  readonly signal: AbortSignal
  readonly timeoutMs: number | undefined
}

/** Answers here where this replica is the owner, else asks the one that is. Fails with `unavailable` while none is. */
export function atOwner<M extends DescMethodUnary>(replicas: Replicas, method: M, here: Unary<M>) {
  return async (
    request: MessageShape<M['input']>,
    call: HandlerContext,
    limits: Limits = { signal: call.signal, timeoutMs: call.timeoutMs() },
  ): Promise<MessageShape<M['output']>> => {
    const owner = replicas.owner()
    if (owner === 'here') return await here(request, call)
    if (owner === undefined || wasPassedOn(call)) throw ownerChanges()
    const asked = request as MessageInitShape<M['input']>
    const answer = await replicas
      .peer(owner.address)
      .unary(method, limits.signal, limits.timeoutMs, { [PASSED_ON]: '1' }, asked, call.values)
    return answer.message as MessageShape<M['output']>
  }
}

/** A call is passed on once: two replicas that take each other for the owner would do it for ever. */
export const wasPassedOn = (call: HandlerContext): boolean => call.requestHeader.has(PASSED_ON)

/** What is answered while nobody owns the queues, or no longer this replica. */
export const ownerChanges = () =>
  fail('unavailable', 'The owner of the queue is changing. Try again.', { retryAfterS: 1 })

const PASSED_ON = 'millhand-passed-on'
