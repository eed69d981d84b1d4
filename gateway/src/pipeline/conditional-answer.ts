/** The answer of a call as JSON; to a conditional read that nothing has changed (RFC 9110, section 13.1.2). */
import { jsonWriter, type RouteOf } from '@millhand/api'
import { isHeld, tagger } from '../etag.ts'
import type { BodyReply } from '../reply.ts'
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
        if (isRead && isHeld(tag, exchange.header('if-none-match'))) {
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
      const ifNoneMatch = exchange.header('if-none-match')
      return answer.etag && ifNoneMatch !== undefined && !isHeld(tagOf(result, write(result)), ifNoneMatch)
    },
  }
}
