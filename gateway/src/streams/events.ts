/** A method that tells events, as a stream of them. */
import type { DescMessage, DescMethodServerStreaming, DescMethodUnary, Message } from '@bufbuild/protobuf'
import type { ContextValues, Transport } from '@connectrpc/connect'
import { failFaults, type RouteOf } from '@millhand/api'
import { violations } from '@millhand/rpc'
import type { Endpoint } from '../dispatch.ts'
import type { Exchange } from '../exchange.ts'
import { CALL_MS, callValues, unary } from '../transcode/call.ts'
import { parseQuery } from '../transcode/query.ts'
import { withQuota } from '../transcode/quota.ts'
import { requestReader } from '../transcode/request.ts'
import { parseLastEventId } from './last-event-id.ts'
import { createTokenAdmit, TOKEN_PARAMETER, type TokenAdmitDeps } from './stream-tokens.ts'
import type { Asked, Streams } from './streams.ts'

export interface EventsDeps extends TokenAdmitDeps {
  readonly transport: Transport
  readonly streams: Streams
}

/** Throws where there is no method `Get…` for what the events are about: it is asked whether that is there. */
export function events(route: RouteOf<'events'>, deps: EventsDeps): Endpoint['handle'] {
  const { transport, streams } = deps
  const admit = createTokenAdmit(route, deps)
  const read = requestReader(route)
  const stream = streams.of(route.desc)
  const get = getMethodFor(route.desc)

  return async (exchange, params, query) => {
    const pairs = parseQuery(query)
    const token = takeOut(pairs, TOKEN_PARAMETER)
    const id = params.id as string
    const caller = await admit(exchange, id, token)
    const request = read.fromQuery(params, pairs) as Asked & Message
    requireValid(route.desc.input, request)
    const after = parseLastEventId(exchange.header('last-event-id')) ?? request.after
    using _ = streams.take(caller)
    const hasEnded = await isOver(exchange, id, callValues(caller, exchange))
    await stream.send(exchange, caller, { ...request, after }, route.answer.status, hasEnded)
  }

  /** In a function of its own: a stream stays open for long, and must not keep what was asked for before it. */
  async function isOver(exchange: Exchange, id: string, values: ContextValues): Promise<boolean> {
    const asking = transport.unary(get, undefined, CALL_MS, undefined, { id }, values)
    const { message } = await withQuota(exchange, asking)
    return (message as Watched).finishedAt !== undefined
  }
}

/** What has events also has an end. */
interface Watched {
  readonly finishedAt?: object
}

/** Checked before the answer begins, and also where the header takes the place of what is wrong. */
function requireValid(desc: DescMessage, request: Message) {
  const [first, ...others] = violations(desc, request)
  if (first !== undefined) throw failFaults([first, ...others])
}

function takeOut(pairs: [name: string, value: string][], name: string): string | undefined {
  const at = pairs.findIndex(([each]) => each === name)
  return at === -1 ? undefined : pairs.splice(at, 1)[0]?.[1]
}

function getMethodFor({ name, parent, input }: DescMethodServerStreaming): DescMethodUnary {
  const found = parent.methods.find(method => name.startsWith('Watch') && method.name === `Get${name.slice(5)}`)
  const isFit = found?.input.field.id !== undefined && found.output.field.finishedAt !== undefined
  if (!isFit || input.field.id === undefined) throw new Error(`${name} tells events of what no method gets by its id`)
  return unary(found)
}
