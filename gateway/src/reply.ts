/** An answer that is not sent yet. */
import type { Exchange } from './exchange.ts'

export type Reply = BodyReply | EventsReply

export interface BodyReply {
  readonly kind: 'body'
  readonly status: number
  /** Names and values by turns, of the headers that describe the body or what was done. */
  readonly headers: readonly string[]
  readonly body: string | Buffer | undefined
}

/** The event stream of a new resource. */
export interface EventsReply {
  readonly kind: 'events'
  readonly status: number
  readonly headers: readonly string[]
  /** The id of the resource. */
  readonly resourceId: string
}

/** Sends a body that nothing may store and no browser may guess the type of. */
export function sendBody(exchange: Exchange, { status, headers, body }: BodyReply): void {
  exchange.send(status, [...headers, ...unstored], body)
}

const unstored = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']
