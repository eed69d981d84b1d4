/** Reads a request of JSON: its headers, its body, and the message that path, query and body make. */
import type { RouteOf } from '@millhand/api'
import { check } from '@millhand/rpc'
import type { Concurrency } from '../admission/concurrency.ts'
import { fingerprintOf, idempotencyKeyOf } from '../idempotency/idempotency-key.ts'
import type { CreatedEvents } from '../streams/stream-on-create.ts'
import { bodyLimitOf, readJsonBody } from '../transcode/json-body.ts'
import { requestReader } from '../transcode/request-reader.ts'
import type { RequestContext } from './context.ts'
import { preferredWait } from './prefer-wait.ts'
import type { Limit } from './request-weight.ts'

export interface ParseOptions {
  readonly limit: Limit
  /** The bytes of bodies. */
  readonly bodies: Concurrency
  /** Undefined where the method's answer can't be a stream. */
  readonly events: CreatedEvents | undefined
  /** Whether the method honours `Prefer: wait`. */
  readonly canWait: boolean
}

/** Fails with 400, 413 and 415; with 429 where the body weighs too much or the caller's bodies do together. */
export function createParse(
  route: RouteOf<'json'>,
  { limit, bodies, events, canWait }: ParseOptions,
): (context: RequestContext) => Promise<void> {
  const { input } = route.desc
  const isPost = route.method === 'POST'
  const hasBody = route.body === '*'
  const bodyLimit = bodyLimitOf(route)
  const reader = requestReader(route)

  return async context => {
    const { exchange, caller, params, query } = context
    if (context.bodyReading !== undefined) context.body = await context.bodyReading
    const key = isPost ? idempotencyKeyOf(exchange) : undefined
    if (hasBody) context.body ??= await readJsonBody(exchange, caller, bodies, bodyLimit)
    const { body } = context
    if (body !== undefined) {
      const counted = limit.body(context, body.bytes.length)
      if (counted instanceof Promise) await counted
    }
    const message = body === undefined ? reader.fromQuery(params, context.pairs) : reader.fromBody(params, query, body)
    context.message = message
    context.wantsEvents = events?.areWanted(exchange, message) === true
    if (canWait && !context.wantsEvents) context.waitS = preferredWait(exchange.header('prefer'))
    if (key === undefined) return
    check(input, message) // The answer to an invalid request is not stored.
    context.keyed = { key, fingerprint: fingerprintOf(exchange, body?.bytes ?? ''), isSecret: route.answer.secret }
  }
}
