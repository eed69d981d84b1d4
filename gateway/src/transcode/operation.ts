/** One method of the contract as an endpoint: a request becomes its message, its answer becomes JSON. */
import type { DescMethodUnary, MessageShape } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { jsonWriter, type RouteOf } from '@millhand/api'
import { createAdmit } from '../admission/admit.ts'
import type { Authenticate } from '../admission/authenticate.ts'
import { entityTag, isHeld } from '../conditional.ts'
import type { Endpoint } from '../dispatch.ts'
import { preferredWait } from '../prefer.ts'
import { CALL_MS, callValues } from './call.ts'
import { locationOf } from './location.ts'
import { requireJson } from './media-type.ts'
import { readBody } from './read-body.ts'
import { requestReader } from './request.ts'
import type { Waiting } from './waiting.ts'

export interface OperationDeps {
  readonly transport: Transport
  readonly authenticate: Authenticate
  readonly waiting: Waiting
}

export function operation(route: RouteOf<'json'>, deps: OperationDeps): Endpoint['handle'] {
  const { desc: method, answer } = route
  const { transport, authenticate, waiting } = deps
  const admit = createAdmit(route, authenticate)
  const hasBody = route.body === '*'
  const read = requestReader(route)
  const write = jsonWriter(method.output)
  const tagOf = tagger(method)
  const location = answer.location === '' ? undefined : locationOf(answer.location, method.output)
  const wait = answer.wait ? waiting.of(method) : undefined
  const isRead = route.method === 'GET'

  /** Whether the caller would not wait any longer: what it holds is another state than this. */
  const isNews = (message: Answer, held: string | undefined) =>
    answer.etag && held !== undefined && !isHeld(tagOf(message, write(message)), held)

  return async (exchange, params, query) => {
    const { headers } = exchange.req
    const admitted = admit(exchange)
    const caller = admitted instanceof Promise ? await admitted : admitted
    if (hasBody) requireJson(exchange)
    const request = hasBody
      ? read.fromBody(params, query, await readBody(exchange, BODY_LIMIT))
      : read.fromQuery(params, query)
    const values = callValues(caller, exchange)
    let { message } = await transport.unary(method, undefined, CALL_MS, undefined, request, values)
    if (wait !== undefined && headers.prefer !== undefined) {
      const seconds = preferredWait(exchange.header('prefer'))
      if (seconds > 0) {
        if (isNews(message, headers['if-none-match'])) exchange.carry('Preference-Applied', 'wait')
        else message = await wait(exchange, caller, message, seconds, isRead)
      }
    }
    const text = write(message)
    if (location !== undefined) exchange.carry('Location', location(message))
    if (answer.etag) {
      const tag = tagOf(message, text)
      exchange.carry('ETag', tag)
      if (isHeld(tag, headers['if-none-match'])) return exchange.send(304, unchanged)
    }
    exchange.send(answer.status, jsonHeaders, text)
  }
}

type Answer = MessageShape<DescMethodUnary['output']>

/** Bytes of a JSON body. */
const BODY_LIMIT = 1_048_576

const unchanged = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

/** The headers of an answer that is JSON. */
export const jsonHeaders: readonly string[] = ['Content-Type', 'application/json', ...unchanged]

/** Fields that only estimate something: an ETag leaves them out, or it would change while nothing has. */
const estimates = ['position']

/** The ETag of an answer whose JSON text is known already. */
function tagger({ output }: DescMethodUnary): (message: Answer, text: string) => string {
  const write = jsonWriter(output, { omit: estimates })
  const locals = output.fields.filter(({ name }) => estimates.includes(name)).map(({ localName }) => localName)
  return (message, text) => {
    const hasEstimate = locals.some(local => (message as Record<string, unknown>)[local] !== undefined)
    return entityTag(hasEstimate ? write(message) : text)
  }
}
