/** One request and its answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Id, KeyMode } from '@millhand/api'
import { baseUrlOf } from './base-url.ts'
import { corsHeaders } from './cors.ts'
import type { ServerState, Traffic } from './traffic.ts'

/** The caller went away, so there is nobody to answer. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone'
}

export class Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly requestId: Id<'req'>
  /** The answer's; 0 until it is sent, and -1 where there will be none. */
  status = 0
  /** Whether the request may come slowly, as long as it comes. */
  takesItsTime = false
  /** Its caller's, once that is known. */
  mode: KeyMode | undefined
  /** Whether how long the answer takes is ours to keep short: no wait, no stream, no file. */
  isTimed = true
  /** Milliseconds for which the caller's body was waited for. */
  bodyMs = 0
  /** Called when the connection begins to drain: a wait then ends at once. */
  onDrain: (() => void) | undefined
  #callsUntil: number | undefined
  #traffic: Traffic
  #carried: string[] | undefined
  readonly #held = new DisposableStack()
  #isReleased = false
  #rate: readonly string[] | undefined

  constructor(req: IncomingMessage, res: ServerResponse, requestId: Id<'req'>, traffic: Traffic) {
    this.req = req
    this.res = res
    this.requestId = requestId
    this.#traffic = traffic
    traffic.open.push(this)
    traffic.unsent.push(this)
    res.once('close', () => traffic.sent(this))
  }

  /** Disposes of something with `release`. */
  hold(place: Disposable) {
    if (this.#isReleased) place[Symbol.dispose]()
    else this.#held.use(place)
  }

  /** To be called once the answer is sent or can't be, or where its kind has a limit of its own. Idempotent. */
  release() {
    this.#isReleased = true
    this.#held.dispose()
  }

  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined {
    return this.req.headers[name] as string | undefined
  }

  /** The method, where `HEAD` counts as `GET`: the answers differ only in the body, which node leaves out. */
  get method(): string {
    return this.req.method === 'HEAD' ? 'GET' : (this.req.method as string)
  }

  /** The path without the query, which may hold what nobody should read in a log. */
  get path(): string {
    const url = this.req.url as string
    const end = url.indexOf('?')
    return end === -1 ? url : url.slice(0, end)
  }

  /** The address by which the caller reaches the gateway, without a slash at its end; empty where nothing says it. */
  get baseUrl(): string {
    return this.#traffic.server.publicUrl ?? baseUrlOf(this.req.headers.host)
  }

  /**
   * Milliseconds that are left for calls to services, at most `budgetMs`, counted from the first call on: all calls of a
   * request share one budget, and what is left of it is the deadline of each.
   */
  leftOf(budgetMs: number): number {
    const now = performance.now()
    this.#callsUntil ??= now + budgetMs
    return Math.max(1, Math.min(budgetMs, this.#callsUntil - now))
  }

  /** Whether the connection drains, so that a request must not wait for anything. */
  get isDraining(): boolean {
    return this.#traffic.isDraining
  }

  /** Milliseconds in which the caller has to send something while it is read, and to take something while it is sent to. */
  get patience(): Pick<ServerState, 'senderMs' | 'readerMs'> {
    return this.#traffic.server
  }

  /** Answers that the request does not come on, and ends the connection. */
  timeOut() {
    this.#traffic.timeOut()
  }

  /** Puts a header on the answer, whatever it will be. */
  carry(name: string, value: string) {
    if (this.#carried === undefined) this.#carried = [name, value]
    else this.#carried.push(name, value)
  }

  /** Says on the answer where the caller's rate is, in the place of what was said of it before. */
  carryRate(policy: string, rate: string) {
    this.#rate = ['RateLimit-Policy', policy, 'RateLimit', rate]
  }

  /** Sends no answer: the caller is gone, or has been answered in another way. */
  abandon() {
    this.#close(-1)
  }

  /** Sends the answer, once. `headers` are names and values by turns; `Content-Length` comes from the body. */
  send(status: number, headers: readonly string[], body?: string | Buffer) {
    if (this.status !== 0) return
    this.#close(status)
    const isCutShort = !this.req.complete && hasMuchToSend(this.req)
    // Who sends more before it has heard that it is over its limits gets no further answers on that connection.
    const isLast = status === TOO_MANY && this.#traffic.unsent.length > 1
    if (isLast) this.#traffic.isEnding = true
    if (isLast) this.req.socket.pause()
    this.#writeHead(status, headers, body, isCutShort || isLast)
    // Whatever comes behind a request that is not read is not looked at, so nothing is wrong with it.
    if (isCutShort) this.#traffic.isRefused = true
    if (isCutShort) this.#linger(body)
    else this.res.end(body)
  }

  /** Begins the answer, once. What its body is goes into `res`, and `finish` ends it. */
  begin(status: number, headers: readonly string[]) {
    this.status = status
    this.isTimed = false
    this.#writeHead(status, headers, undefined, false)
  }

  /** Ends an answer that was begun. */
  finish() {
    const { res, req } = this
    res.end(() => {
      this.#close(this.status)
      const { open, server } = this.#traffic
      if (server.stopping && open.length === 0) req.socket.destroySoon()
    })
  }

  /** Breaks off an answer that was begun, so that nobody takes it for whole. */
  cut() {
    this.#close(this.status)
    this.res.destroy()
  }

  #writeHead(status: number, headers: readonly string[], body: string | Buffer | undefined, isLast: boolean) {
    const { req, res } = this
    const all = ['X-Request-Id', this.requestId, ...everywhere, ...headers]
    if (body !== undefined) all.push('Content-Length', String(Buffer.byteLength(body)))
    if (this.#rate !== undefined) all.push(...this.#rate)
    if (this.#carried !== undefined) all.push(...this.#carried)
    if (req.headers.origin !== undefined) all.push(...corsHeaders)
    if (isLast || this.#traffic.server.stopping) all.push('Connection', 'close')
    if (res.socket === null) this.#traffic.queued = res
    res.writeHead(status, all)
  }

  #close(status: number) {
    this.status = status
    const { open } = this.#traffic
    const index = open.indexOf(this)
    if (index !== -1) open.splice(index, 1)
    if (open.length === 0) this.#traffic.answeredBytes = this.req.socket.bytesRead
  }

  /**
   * Sends the body of an answer that comes before the whole request, and keeps the connection until the caller has
   * stopped sending, for at most a second: closing while it still sends makes its system throw the answer away unread
   * (RFC 9112, section 9.6).
   */
  #linger(body: string | Buffer | undefined) {
    const { req, res } = this
    if (body === undefined || req.method === 'HEAD') res.flushHeaders()
    else res.write(body)
    const end = () => {
      clearTimeout(timer)
      res.end()
    }
    const timer = setTimeout(end, LINGER_MS)
    req.once('end', end)
    req.once('error', end)
    req.resume()
  }
}

/**
 * Any answer may be opened as a page: links on it tell nobody its address, which may hold a token, and a page that opened
 * it keeps no hold of it. `Strict-Transport-Security` is for whoever ends TLS: this server has none (RFC 6797, section 7.2).
 */
export const everywhere: readonly string[] = [
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
]

const LINGER_MS = 1000
const TOO_MANY = 429

/** Whether a request is not worth reading to its end only to keep its connection. */
function hasMuchToSend({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MOST_SKIPPED
}

const MOST_SKIPPED = 65_536
