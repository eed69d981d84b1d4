/** The route of one method of the contract: a request becomes its message, its answer becomes JSON. */
import type { DescMethodUnary, MessageShape } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { fail, type Route as HttpRoute, jsonWriter } from '@millhand/api'
import type { Principal } from '@millhand/rpc'
import { requireScope } from '../admission/scope.ts'
import { entityTag, isHeld } from '../conditional.ts'
import type { Route } from '../dispatch.ts'
import type { Exchange } from '../exchange.ts'
import { preferredWait } from '../prefer.ts'
import { CALL_MS, callValues, unary } from './call.ts'
import { locationOf } from './location.ts'
import { requestReader } from './request.ts'
import type { Waiting } from './waiting.ts'

export interface OperationDeps {
  readonly transport: Transport
  readonly waiting: Waiting
  /** Whom the request comes from; at once where that is known already. */
  authenticate(exchange: Exchange): Principal | Promise<Principal>
}

/** Throws where the contract asks for something that can't be served over HTTP. */
export function operationRoute(route: HttpRoute, { transport, waiting, authenticate }: OperationDeps): Route {
  const { access, answer } = route
  const method = unary(route.desc)
  const { output } = method
  const readRequest = requestReader(route)
  const write = jsonWriter(output)
  const writeForTag = jsonWriter(output, { omit: estimates })
  const location = answer.location ? locationOf(answer.location, output) : undefined
  const wait = answer.wait ? waiting.of(method) : undefined

  const tagOf = (message: MessageShape<typeof output>, text: string) =>
    entityTag(estimates.some(name => (message as Fields)[name] !== undefined) ? writeForTag(message) : text)

  /** The answer as it is once the caller's wait is over; the wait ends at once where the caller holds another state. */
  async function waitIfPreferred(exchange: Exchange, caller: Principal, first: Answer): Promise<Answer> {
    const seconds = wait ? preferredWait(exchange.header('prefer')) : 0
    if (seconds === 0 || wait === undefined) return first
    const held = exchange.header('if-none-match')
    const isNews = answer.etag && held !== undefined && !isHeld(tagOf(first, write(first)), held)
    return isNews ? first : await wait(exchange, caller, first, seconds, route.method === 'GET')
  }

  return {
    method: route.method,
    pattern: route.template.replace(/\{(\w+)\}/g, ':$1'),
    async handle(exchange, params, query) {
      const admitted = authenticate(exchange)
      const caller = admitted instanceof Promise ? await admitted : admitted
      requireScope(exchange, caller, access.scope)
      if (route.method === 'POST') refuseIdempotencyKey(exchange)
      const request = await readRequest(exchange, params, query)
      const first = await transport.unary(method, undefined, CALL_MS, undefined, request, callValues(caller, exchange))
      const message = wait ? await waitIfPreferred(exchange, caller, first.message) : first.message
      const text = write(message)
      if (location) exchange.carry('Location', location(message))
      if (answer.etag) {
        const tag = tagOf(message, text)
        exchange.carry('ETag', tag)
        if (isHeld(tag, exchange.header('if-none-match'))) return exchange.send(304, notModified)
      }
      exchange.send(answer.status, json, text)
    },
  }
}

type Fields = Readonly<Record<string, unknown>>
type Answer = MessageShape<DescMethodUnary['output']>

/** Fields that only estimate something: an ETag leaves them out, or it would change while nothing has. */
const estimates = ['position']

const notModified = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']
const json = ['Content-Type', 'application/json', ...notModified]

/** A key that was silently ignored would promise what this version does not keep. */
function refuseIdempotencyKey(exchange: Exchange) {
  if (exchange.header('idempotency-key') === undefined) return
  throw fail('invalid_idempotency_key', 'This version does not support `Idempotency-Key` yet: leave it out.')
}
