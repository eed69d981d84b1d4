/** A server-streaming method of events as an event stream. */
import type { DescMethodServerStreaming, DescMethodUnary, Message } from '@bufbuild/protobuf'
import type { ContextValues, Transport } from '@connectrpc/connect'
import { fail, type RouteOf } from '@millhand/api'
import { check } from '@millhand/rpc'
import type { Exchange } from '../exchange.ts'
import { CALL_MS, call, callValues, unary } from '../pipeline/call.ts'
import type { Responder } from '../pipeline/context.ts'
import { requestReader } from '../transcode/request-reader.ts'
import type { Streams, WatchRequest } from './event-streams.ts'

export interface EventsDeps {
  readonly transport: Transport
  readonly streams: Streams
}

/** Throws where there is no method `Get…` for the resource of the events: a stream begins with a look at the resource. */
export function eventsResponder(route: RouteOf<'events'>, { transport, streams }: EventsDeps): Responder {
  const read = requestReader(route)
  const stream = streams.of(route.desc)
  const get = getMethodFor(route.desc)

  return async ({ exchange, caller, params, pairs }) => {
    const request = read.fromQuery(params, pairs) as WatchRequest & Message
    check(route.desc.input, request) // Before the answer begins, and also where the header takes the place of what is wrong.
    const after = parseLastEventId(exchange.header('last-event-id')) ?? request.after
    using _ = streams.acquire(caller)
    const ended = await hasEnded(exchange, params.id as string, callValues(caller, exchange))
    await stream.send(exchange, caller, { ...request, after }, route.answer.status, ended)
  }

  /** In a function of its own: a stream stays open for long, and must not keep the resource in memory. */
  async function hasEnded(exchange: Exchange, id: string, values: ContextValues): Promise<boolean> {
    const watched = await call(transport, get, { id }, { exchange, values, timeoutMs: CALL_MS, tellsQuota: true })
    const { finishedAt, terminatedAt } = watched as Watched
    return (finishedAt ?? terminatedAt) !== undefined
  }
}

/** The place in the stream that the `Last-Event-ID` header names; undefined without one. Fails with `invalid_parameter`. */
function parseLastEventId(header: string | undefined): bigint | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,16}$/.test(header) && BigInt(header) <= Number.MAX_SAFE_INTEGER) return BigInt(header)
  throw fail('invalid_parameter', '`Last-Event-ID` must be the `id` of an event of this stream: a whole number.', {
    param: 'Last-Event-ID',
  })
}

/** A resource with events has an end. */
interface Watched {
  readonly finishedAt?: object
  readonly terminatedAt?: object
}

function getMethodFor({ name, parent, input }: DescMethodServerStreaming): DescMethodUnary {
  const watched = name.startsWith('Watch') ? name.slice('Watch'.length) : ''
  // `WatchTask` tells of what `GetTask` gets, and `WatchInstanceLogs` of what `GetInstance` does.
  const found = parent.methods.find(method => method.name.startsWith('Get') && watched.startsWith(method.name.slice(3)))
  const end = found?.output.field.finishedAt ?? found?.output.field.terminatedAt
  const isFit = found?.input.field.id !== undefined && end !== undefined
  if (!isFit || input.field.id === undefined) throw new Error(`${name} tells events of what no method gets by its id`)
  return unary(found)
}
