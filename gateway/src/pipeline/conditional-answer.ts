/** The answer of a call as JSON; to a conditional read that nothing has changed (RFC 9110, section 13.1.2). */
import type { DescMethodUnary } from '@bufbuild/protobuf'
import { jsonWriter, type RouteOf } from '@millhand/api'
import { entityTag, isHeld } from '../etag.ts'
import type { BodyReply } from '../reply.ts'
import type { Message } from './call.ts'
import type { RequestContext } from './context.ts'

export interface ConditionalAnswer {
  /** The answer that the result is: JSON with its ETag, or 304. */
  replyTo(context: RequestContext): BodyReply
  /** Whether the result differs from the one that the caller's `If-None-Match` names. */
  hasChanged(context: RequestContext): boolean
}

export function createConditionalAnswer({ desc, method, answer }: RouteOf<'json'>): ConditionalAnswer {
  const write = jsonWriter(desc.output)
  const tagOf = tagger(desc)
  const isRead = method === 'GET'
  return {
    replyTo({ exchange, result, headers }) {
      const text = write(result)
      if (answer.etag) {
        const tag = tagOf(result, text)
        headers.push('ETag', tag)
        if (isRead && isHeld(tag, exchange.req.headers['if-none-match'])) {
          return { kind: 'body', status: 304, headers, body: undefined }
        }
      }
      return {
        kind: 'body',
        status: answer.status,
        headers: ['Content-Type', 'application/json', ...headers],
        body: text,
      }
    },
    hasChanged({ exchange, result }) {
      const ifNoneMatch = exchange.req.headers['if-none-match']
      return answer.etag && ifNoneMatch !== undefined && !isHeld(tagOf(result, write(result)), ifNoneMatch)
    },
  }
}

/** Fields that only estimate something: an ETag leaves them out, or it would change while nothing has. */
const estimates = ['position']

/** The ETag of an answer whose JSON text is known already. */
function tagger({ output }: DescMethodUnary): (message: Message, text: string) => string {
  const write = jsonWriter(output, { omit: estimates })
  const locals = output.fields.filter(({ name }) => estimates.includes(name)).map(({ localName }) => localName)
  return (message, text) => {
    const hasEstimate = locals.some(local => (message as Record<string, unknown>)[local] !== undefined)
    return entityTag(hasEstimate ? write(message) : text)
  }
}
