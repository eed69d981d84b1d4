/** A call over HTTP/2, as admission knows it. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Id, KeyMode } from '@millhand/api'
import type { TraceContext } from '@millhand/telemetry'
import { corsHeaders } from '../cors.ts'
import { commonHeaders } from '../exchange.ts'
import { CallBudget, type Inbound } from '../inbound.ts'

export class StreamExchange implements Inbound {
  readonly requestId: Id<'req'>
  readonly connection: object
  readonly peer: string
  mode: KeyMode | undefined
  isTimed = true
  trace: TraceContext | undefined
  readonly #headers: IncomingHttpHeaders
  readonly #budget = new CallBudget()
  readonly #held = new DisposableStack()
  readonly #answer: Record<string, string> = {}

  /** The permits that it holds are returned when the stream closes. */
  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, requestId: Id<'req'>) {
    this.requestId = requestId
    this.#headers = headers
    this.connection = stream.session ?? this
    this.peer = stream.session?.socket.remoteAddress ?? ''
    if (stream.destroyed) this.#held.dispose()
    else stream.once('close', () => this.#held.dispose())
    for (const [name, value] of pairs(['X-Request-Id', requestId, ...commonHeaders])) this.addHeader(name, value)
    if (headers.origin !== undefined) for (const [name, value] of pairs(corsHeaders)) this.addHeader(name, value)
  }

  get bodyLength(): number | undefined {
    const length = this.#headers['content-length']
    return length === undefined ? undefined : Number(length)
  }

  /** Those that every answer to the call has, and those that were added. */
  get answerHeaders(): Readonly<Record<string, string>> {
    return this.#answer
  }

  header(name: string): string | undefined {
    const value = this.#headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  leftOf(budgetMs: number): number {
    return this.#budget.leftOf(budgetMs)
  }

  addHeader(name: string, value: string): void {
    const key = name.toLowerCase()
    const before = this.#answer[key]
    this.#answer[key] = before === undefined ? value : `${before}, ${value}`
  }

  setRate(policy: string, rate: string): void {
    this.#answer['ratelimit-policy'] = policy
    this.#answer.ratelimit = rate
  }

  hold(permit: Disposable): void {
    if (this.#held.disposed) permit[Symbol.dispose]()
    else this.#held.use(permit)
  }
}

function* pairs(list: readonly string[]): Generator<[name: string, value: string]> {
  for (let at = 0; at < list.length; at += 2) yield [list[at] as string, list[at + 1] as string]
}
