/** A request on its way through the pipeline: what the steps have found so far. */
import type { Caller } from '../admission/caller.ts'
import type { Exchange } from '../exchange.ts'
import type { KeyedRequest } from '../idempotency/idempotency-key.ts'
import type { JsonBody } from '../transcode/json-body.ts'
import { parseQuery } from '../transcode/query-string.ts'
import type { Message } from './call.ts'
import type { Params } from './match.ts'

/** The steps of a route after admission: from `parse` to the last byte of the answer. What it fails with becomes a problem. */
export type Responder = (context: RequestContext) => Promise<void>

/** Disposing of it returns the permits that it holds. */
export class RequestContext implements Disposable {
  readonly exchange: Exchange
  readonly params: Params
  /** The raw text after `?`. */
  readonly query: string
  #pairs: [name: string, value: string][] | undefined

  /** Set by `authenticate`. */
  caller!: Caller

  /** The body while it is read, where the method depends on it: `short-forms.ts`. */
  bodyReading: Promise<JsonBody> | undefined
  /** Set by `parse`, where the method has a body. */
  body: JsonBody | undefined
  /** The request of the method; set by `parse`. */
  message!: Message
  /** Set by `parse`, where the request has an `Idempotency-Key`. */
  keyed: KeyedRequest | undefined
  /** Whether the answer is the event stream of the new resource; set by `parse`. */
  wantsEvents = false
  /** Seconds of `Prefer: wait`; 0 without one. Set by `parse`. */
  waitS = 0
  /** When the wait is over, by the monotonic clock; set where the call itself may wait. */
  waitUntil: number | undefined

  waitPermit: Disposable | undefined
  streamPermit: Disposable | undefined

  /** The answer of the service; set by `call`, and again by `wait`. */
  result!: Message
  /** Whether the preference for a wait was applied; set by `wait`. */
  hasWaited = false
  /** Headers of a good answer: names and values by turns. */
  readonly headers: string[] = []

  constructor(exchange: Exchange, params: Params, query: string) {
    this.exchange = exchange
    this.params = params
    this.query = query
  }

  /** The decoded pairs of the query. Fails with `invalid_parameter`. */
  get pairs(): [name: string, value: string][] {
    this.#pairs ??= parseQuery(this.query)
    return this.#pairs
  }

  /** Passes the permit for an event stream on to the caller of this method, which disposes of it. */
  takeStreamPermit(): Disposable | undefined {
    const permit = this.streamPermit
    this.streamPermit = undefined
    return permit
  }

  [Symbol.dispose](): void {
    this.body?.release()
    this.waitPermit?.[Symbol.dispose]()
    this.streamPermit?.[Symbol.dispose]()
  }
}
