/** A page whose bytes never change while the process lives. */
import { entityTag, isHeld } from '../etag.ts'
import type { Endpoint } from '../pipeline/match.ts'

export interface Page {
  readonly path: string
  readonly type: string
  readonly body: Buffer | string
  /** Names and values by turns. */
  readonly headers?: readonly string[]
}

/** The endpoint of a page. Readers ask again each time, and get it again only when it has changed. */
export function page({ path, type, body, headers = [] }: Page): Endpoint {
  const tag = entityTag(body)
  const always = ['ETag', tag, 'Cache-Control', 'no-cache', 'X-Content-Type-Options', 'nosniff', ...headers]
  const whole = ['Content-Type', type, ...always]
  return {
    method: 'GET',
    pattern: path,
    handle(exchange) {
      if (isHeld(tag, exchange.header('if-none-match'))) exchange.send(304, always)
      else exchange.send(200, whole, body)
    },
  }
}
