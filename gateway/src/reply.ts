/** An answer that is not sent yet. */
import type { Exchange } from './exchange.ts'

export type Reply = BodyReply | EventsReply

/** Of a request that is answered with a body, or with none. */
export interface BodyReply {
  readonly kind: 'body'
  readonly status: number
  /** Names and values by turns, of the headers that say something of the body or of what was done. */
  readonly headers: readonly string[]
  readonly body: string | Buffer | undefined
}

/** Of a request that is answered with the events of what it made. */
export interface EventsReply {
  readonly kind: 'events'
  readonly status: number
  readonly headers: readonly string[]
  /** The id of what was made. */
  readonly made: string
}

/** Answers with a body. Nothing keeps it, and nothing takes it for something else. */
export function sendBody(exchange: Exchange, { status, headers, body }: BodyReply): void {
  exchange.send(status, [...headers, ...unstored], body)
}

const unstored = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']
