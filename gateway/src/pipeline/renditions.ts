/** Answers of a read in other media types than JSON, by `Accept`: another method of its service renders them. */
import { hash } from 'node:crypto'
import type { Transport } from '@connectrpc/connect'
import { fail, qualities, qualityOf, type RouteOf } from '@millhand/api'
import type { Concurrency } from '../admission/concurrency.ts'
import { attachment, harmless } from '../download/headers.ts'
import { isHeld } from '../etag.ts'
import { requestReader } from '../transcode/request-reader.ts'
import { CALL_MS, call, callValues, unary } from './call.ts'
import type { Responder } from './context.ts'

interface RenditionDeps {
  readonly transport: Transport
  /** The bytes of large answers to reads, each until it is sent. */
  readonly answers: Concurrency
}

interface Rendition {
  readonly filename: string
  readonly content: Uint8Array
}

/** Answers with what `Accept` would rather have: as `json` does, or rendered. Fails with `not_acceptable` for anything else. */
export function renditionResponder(
  route: RouteOf<'json'>,
  json: Responder,
  { transport, answers }: RenditionDeps,
): Responder {
  const { renderedBy, renditions } = route.answer
  const method = unary(methodOf(route, renderedBy))
  const read = requestReader(route)
  const offered = ['application/json', ...renditions]

  return async context => {
    const { exchange, caller, params } = context
    exchange.addHeader('Vary', 'Accept')
    const mediaType = preferred(exchange.header('accept') ?? '*/*', offered)
    if (mediaType === 'application/json') return json(context)
    using _ = context
    const request = { ...read.fromQuery(params, context.pairs), $typeName: method.input.typeName, mediaType }
    const answer = await call(transport, method, request, {
      exchange,
      values: callValues(caller, exchange),
      timeoutMs: exchange.leftOf(CALL_MS),
      tellsQuota: false,
    })
    const { filename, content } = answer as unknown as Rendition
    exchange.hold(answers.acquire(caller, content.length))
    const tag = `"${hash('sha256', content, 'hex')}"`
    const headers = ['ETag', tag, 'Cache-Control', 'private, no-cache', ...harmless]
    if (isHeld(tag, exchange.header('if-none-match'))) exchange.send(304, headers)
    else {
      headers.push('Content-Type', mediaType, 'Content-Disposition', attachment(filename))
      exchange.send(200, headers, Buffer.from(content))
    }
  }
}

const methodOf = ({ desc, service }: RouteOf<'json'>, name: string) => {
  const found = service.methods.find(method => method.name === name)
  if (found === undefined) throw new Error(`${desc} is rendered by ${name}, which its service has not`)
  return found
}

/** The first of those that are wanted most. Fails with `not_acceptable`. */
function preferred(accept: string, offered: readonly string[]): string {
  const asked = qualities(accept)
  const [best] = offered.toSorted((a, b) => qualityOf(b, asked) - qualityOf(a, asked))
  if (best !== undefined && qualityOf(best, asked) > 0) return best
  throw fail('not_acceptable', `\`Accept\` must allow one of ${offered.join(', ')}.`)
}
