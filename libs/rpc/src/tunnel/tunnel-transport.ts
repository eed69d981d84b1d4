/** Calls to a service on other machines: many in one stream to each of its replicas. */
import { create, type DescMethod, type Message, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, type ContextValues, type StreamResponse, type Transport } from '@connectrpc/connect'
import type { Begin } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { type Clock, systemClock } from '@millhand/process'
import { unavailable } from './call-errors.ts'
import type { ReplicaTransport } from './client-tunnel.ts'
import { beginOf, type Lines } from './frames.ts'
import { linesOf } from './header-lines.ts'
import type { Dispatcher, OutgoingCall } from './outgoing-call.ts'
import { OutgoingStream } from './outgoing-stream.ts'
import { OutgoingUnary, type UnaryAnswer } from './outgoing-unary.ts'
import { type ConnectivityEvent, Subchannel } from './subchannel.ts'
import { WaitingCalls } from './waiting-calls.ts'

export interface TunnelTransportOptions {
  /** Each opens streams to one replica. At least one. A connection under a silent stream is closed. */
  readonly replicas: readonly ReplicaTransport[]
  /** Lower-case header lines for a call, made from its context values. Called for every call. */
  readonly headers?: (values: ContextValues | undefined) => readonly (readonly [string, string])[]
  /** How long a call waits for a replica that can take it, before it fails `unavailable`. Default 5,000. */
  readonly waitMs?: number
  /** Hears when the way to a replica changes; not of every try. */
  readonly onEvent?: (event: ConnectivityEvent) => void
  readonly clock?: Clock
  /** From 0 up to 1: the jitter of reconnecting. */
  readonly random?: () => number
}

export interface TunnelTransport extends Transport {
  /** Opens the streams, and opens them again for ever when they break. The first call does it too. Idempotent. */
  connect(): void
  /** Whether a replica is connected that says that it has all it needs. */
  ready(): boolean
  /** Cuts the streams. Calls in flight, waiting, and made later fail `unavailable`. Idempotent. */
  close(): Promise<void>
}

/**
 * A transport whose calls go round robin to the replicas that can take them, in one stream each: to those that say that
 * they have all they need, while there are any.
 *
 * A call in flight on a stream that breaks fails `unavailable`, unless its method has `NO_SIDE_EFFECTS`: it is then sent
 * again, up to three times, while its deadline lasts. A call that was not sent yet goes elsewhere unseen. A replica that
 * says nothing for 3 s is taken for dead. Context values stay behind; what must arrive is put into `headers`.
 */
export function createTunnelTransport(options: TunnelTransportOptions): TunnelTransport {
  const { headers, onEvent = () => {}, clock = systemClock, random = Math.random } = options
  if (options.replicas.length === 0) throw new Error('a tunnel needs at least one replica')
  const waiting = new WaitingCalls(clock, options.waitMs ?? 5_000)
  let closed = false
  let turn = 0

  const begin = (call: OutgoingCall): boolean => {
    const after = (place: number) => (turn + 1 + place) % subchannels.length
    const open = subchannels.map((_, place) => after(place)).filter(index => subchannels[index]?.tunnel)
    // What a replica lacks may not matter to this call; else its answer says what it is.
    const index = open.find(index => subchannels[index]?.tunnel?.serves) ?? open[0]
    if (index === undefined) return false
    turn = index
    subchannels[index]?.tunnel?.begin(call)
    return true
  }
  const subchannels = options.replicas.map(
    (replica, index) => new Subchannel({ replica, index, clock, random, onEvent, onRoom: () => waiting.give(begin) }),
  )
  const connect = () => {
    for (const subchannel of subchannels) subchannel.connect()
  }
  const dispatcher: Dispatcher = {
    clock,
    place(call) {
      if (closed) call.stop(gone())
      else if (!waiting.none || !begin(call)) {
        connect()
        waiting.add(call)
      }
    },
  }
  const beginning = (method: DescMethod, init: HeaderInit, values: ContextValues | undefined): Begin => {
    const header = headerOf(init, headers?.(values) ?? [])
    return beginOf({ method: pathOf(method), header, timeoutMs: 0, message: empty, credit: 0 })
  }

  const transport: Erased = {
    connect,
    ready: () => subchannels.some(subchannel => subchannel.serves),
    async close() {
      closed = true
      waiting.fail(gone())
      await Promise.all(subchannels.map(subchannel => subchannel.close()))
    },
    unary: (method, signal, timeoutMs, header, input, values) =>
      new Promise((resolve, reject) => {
        const first = beginning(method, header, values)
        first.message = encoded(method, input)
        const call = new OutgoingUnary(dispatcher, method, first, resolve, reject)
        if (headers) call.headerAgain = () => headerOf(header, headers(values))
        call.limit(signal, timeoutMs)
        call.dispatch()
      }),
    async stream(method, signal, timeoutMs, header, input, values) {
      const call = new OutgoingStream(dispatcher, method, beginning(method, header, values), input)
      call.limit(signal, timeoutMs)
      void call.open()
      return await call.response
    },
  }
  return transport as unknown as TunnelTransport
}

/** The lines of the transport take the place of the caller's. */
function headerOf(init: HeaderInit, lines: readonly (readonly [string, string])[]): Lines {
  if (init === undefined) return lines.flat()
  const header = new Headers(init)
  for (const [name, value] of lines) header.set(name, value)
  return linesOf(header)
}

const empty = new Uint8Array()

const gone = () => unavailable('the transport was closed')

function encoded(method: DescMethod, input: unknown): Uint8Array {
  try {
    return toBinary(method.input, create(method.input, input as Message))
  } catch (cause) {
    throw new ConnectError('the request cannot be encoded', Code.Internal, undefined, undefined, cause)
  }
}

const paths = new WeakMap<DescMethod, string>()

function pathOf(method: DescMethod): string {
  const known = paths.get(method)
  if (known !== undefined) return known
  const path = `/${method.parent.typeName}/${method.name}`
  paths.set(method, path)
  return path
}

type HeaderInit = ConstructorParameters<typeof Headers>[0]

/** The transport without its generics, which tie the types of messages to a method that only the caller knows. */
interface Erased extends Pick<TunnelTransport, 'connect' | 'ready' | 'close'> {
  unary(method: DescMethod, ...rest: Rest<Parameters<Transport['unary']>>): Promise<UnaryAnswer>
  stream(method: DescMethod, ...rest: Rest<Parameters<Transport['stream']>>): Promise<StreamResponse>
}

type Rest<P extends unknown[]> = P extends [unknown, ...infer R] ? R : never
