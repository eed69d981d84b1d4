/** Calls that are answered by the one replica of a service that owns what they are about. */
import type { DescMethodServerStreaming, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import type { HandlerContext, Transport } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { drainingKey } from '@millhand/rpc'
import type { Owner } from './owner-election.ts'

export interface Replicas {
  /** Which replica of the service is the owner. */
  owner(): Owner
  /** Whether there is no owner that gets work done at present. */
  isVacant?(): boolean
  /** Reaches the replica at an address. */
  peer(address: string): Transport
}

/** The whole service where it runs once. */
export const singleReplica: Replicas = {
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
export function forwardToOwner<M extends DescMethodUnary>(replicas: Replicas, method: M, here: Unary<M>) {
  return async (
    request: MessageShape<M['input']>,
    call: HandlerContext,
    limits?: Limits,
  ): Promise<MessageShape<M['output']>> => {
    const owner = replicas.owner()
    if (owner === 'here') return await here(request, call)
    if (owner === undefined || isForwarded(call)) throw ownerUnavailable()
    const asked = request as MessageInitShape<M['input']>
    // Looked at no sooner: a call's signal is made for whoever asks for it.
    const { signal, timeoutMs } = limits ?? { signal: call.signal, timeoutMs: call.timeoutMs() }
    const answer = await replicas
      .peer(owner.address)
      .unary(method, signal, timeoutMs, { [FORWARDED]: '1' }, asked, call.values)
    return answer.message as MessageShape<M['output']>
  }
}

type Streaming<M extends DescMethodServerStreaming> = (
  request: MessageShape<M['input']>,
  call: HandlerContext,
  /** Ends with the call, and as soon as this replica stops. */
  signal: AbortSignal,
) => AsyncIterable<MessageShape<M['output']>>

/** The same for a stream of answers. It fails with `unavailable` also as soon as this replica stops. */
export function forwardStreamToOwner<M extends DescMethodServerStreaming>(
  replicas: Replicas,
  method: M,
  here: Streaming<M>,
) {
  const asked: Streaming<M> = (request, call, signal) => {
    const owner = replicas.owner()
    if (owner === 'here') return here(request, call, signal)
    if (owner === undefined || isForwarded(call)) throw ownerUnavailable()
    return forwarded(replicas.peer(owner.address), method, request, call, signal)
  }

  return async function* (
    request: MessageShape<M['input']>,
    call: HandlerContext,
  ): AsyncGenerator<MessageShape<M['output']>> {
    const draining = call.values.get(drainingKey)
    const ending = new AbortController()
    const end = () => ending.abort()
    for (const signal of [call.signal, draining]) signal.addEventListener('abort', end, { once: true })
    if (call.signal.aborted || draining.aborted) end()
    try {
      yield* asked(request, call, ending.signal)
    } catch (error) {
      throw draining.aborted && !call.signal.aborted ? replicaStopping() : error
    } finally {
      for (const signal of [call.signal, draining]) signal.removeEventListener('abort', end)
    }
  }
}

async function* forwarded<M extends DescMethodServerStreaming>(
  peer: Transport,
  method: M,
  request: MessageShape<M['input']>,
  call: HandlerContext,
  signal: AbortSignal,
): AsyncGenerator<MessageShape<M['output']>> {
  const requests = only(request as MessageInitShape<M['input']>)
  const answer = await peer.stream(method, signal, call.timeoutMs(), { [FORWARDED]: '1' }, requests, call.values)
  yield* answer.message as AsyncIterable<MessageShape<M['output']>>
}

async function* only<T>(one: T): AsyncGenerator<T> {
  yield one
}

/** A call is passed on once: two replicas that take each other for the owner would do it for ever. */
export const isForwarded = (call: HandlerContext): boolean => call.requestHeader.has(FORWARDED)

/** What is answered while there is no owner, or it is no longer this replica. */
export const ownerUnavailable = () => fail('unavailable', 'The owner is changing. Try again.', { retryAfterS: 1 })

/** What is answered by a replica that stops. */
export const replicaStopping = () => fail('unavailable', 'This replica stops. Ask another.', { retryAfterS: 1 })

const FORWARDED = 'millhand-passed-on'
