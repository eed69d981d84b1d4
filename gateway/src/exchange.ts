/** One request and its answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Id, KeyMode } from '@millhand/api'
import type { TraceContext } from '@millhand/telemetry'
import type { Connection, ServerState } from './connection.ts'
import { corsHeaders } from './cors.ts'
import { CallBudget, type Inbound } from './inbound.ts'

/** The caller has closed the connection: there is no answer. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone'
}

export class Exchange implements Inbound {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly requestId: Id<'req'>
  /** The answer's; 0 until it is sent, and -1 where there will be none. */
  status = 0
  /** How a call ended, as a status of HTTP: the answer of gRPC-Web is 200 and says that at the end of its body. */
  callStatus: number | undefined
  /** Whether the body may come slowly, as long as it comes. */
  allowsSlowBody = false
  mode: KeyMode | undefined
  trace: TraceContext | undefined
  isTimed = true
  /** Milliseconds in which the body came. */
  bodyMs = 0
  /** Called when the connection begins to drain: a wait then ends at once. */
  onDrain: (() => void) | undefined
  readonly #budget = new CallBudget()
  #connection: Connection
  #added: string[] | undefined
  readonly #held = new DisposableStack()
  #isReleased = false
  #rate: readonly string[] | undefined

  constructor(req: IncomingMessage, res: ServerResponse, requestId: Id<'req'>, connection: Connection) {
    this.req = req
    this.res = res
    this.requestId = requestId
    this.#connection = connection
    connection.open.push(this)
    connection.unsent.push(this)
    res.once('close', () => connection.sent(this))
  }

  hold(permit: Disposable) {
    if (this.#isReleased) permit[Symbol.dispose]()
    else this.#held.use(permit)
  }

  /** To be called once the answer is sent or can't be, or where its kind has a limit of its own. Idempotent. */
  release() {
    this.#isReleased = true
    this.#held.dispose()
  }

  header(name: string): string | undefined {
    return this.req.headers[name] as string | undefined
  }

  get bodyLength(): number | undefined {
    const { headers } = this.req
    return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined
  }

  get peer(): string {
    return this.req.socket.remoteAddress ?? ''
  }

  get connection(): object {
    return this.req.socket
  }

  /** The method, where `HEAD` counts as `GET`: the answers differ only in the body, which node leaves out. */
  get method(): string {
    return this.req.method === 'HEAD' ? 'GET' : (this.req.method as string)
  }

  /** The path without the query, which may hold a secret and must not be logged. */
  get path(): string {
    const url = this.req.url as string
    const end = url.indexOf('?')
    return end === -1 ? url : url.slice(0, end)
  }

  /** The address by which the caller reaches the gateway, without a slash at its end; empty where it is not known. */
  get baseUrl(): string {
    return this.#connection.server.publicUrl ?? baseUrlOf(this.req.headers.host)
  }

  leftOf(budgetMs: number): number {
    return this.#budget.leftOf(budgetMs)
  }

  /** Whether the connection drains, so that a request must not wait for anything. */
  get isDraining(): boolean {
    return this.#connection.isDraining
  }

  /** Milliseconds in which the caller has to send the next bytes of a body, and to read the next of an answer. */
  get timeouts(): Pick<ServerState, 'senderMs' | 'readerMs'> {
    return this.#connection.server
  }

  /** Answers 408 and ends the connection. */
  timeOut() {
    this.#connection.timeOut()
  }

  addHeader(name: string, value: string) {
    if (this.#added === undefined) this.#added = [name, value]
    else this.#added.push(name, value)
  }

  setRate(policy: string, rate: string) {
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
    // A caller over its limits that has pipelined more requests gets no further answers on that connection.
    const isLast = status === TOO_MANY && this.#connection.unsent.length > 1
    if (isLast) this.#connection.isEnding = true
    if (isLast) this.req.socket.pause()
    this.#writeHead(status, headers, body, isCutShort || isLast)
    // Whatever comes behind a request that is not read is not looked at, so nothing is wrong with it.
    if (isCutShort) this.#connection.isRefused = true
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
      const { open, server } = this.#connection
      if (server.stopping && open.length === 0) req.socket.destroySoon()
    })
  }

  /** Breaks off an answer that was begun, so that the caller does not take it for complete. */
  cut() {
    this.#close(this.status)
    this.res.destroy()
  }

  #writeHead(status: number, headers: readonly string[], body: string | Buffer | undefined, isLast: boolean) {
    const { req, res } = this
    const all = ['X-Request-Id', this.requestId, ...commonHeaders, ...headers]
    if (body !== undefined) all.push('Content-Length', String(Buffer.byteLength(body)))
    if (this.#rate !== undefined) all.push(...this.#rate)
    if (this.#added !== undefined) all.push(...this.#added)
    if (req.headers.origin !== undefined) all.push(...corsHeaders)
    if (isLast || this.#connection.server.stopping) all.push('Connection', 'close')
    if (res.socket === null) this.#connection.queued = res
    res.writeHead(status, all)
  }

  #close(status: number) {
    this.status = status
    const { open } = this.#connection
    const index = open.indexOf(this)
    if (index !== -1) open.splice(index, 1)
    if (open.length === 0) this.#connection.answeredBytes = this.req.socket.bytesRead
  }

  /**
   * Sends the body of an answer that comes before the whole request, and keeps the connection while the caller goes on
   * sending: closing meanwhile makes its system throw the answer away unread (RFC 9112, section 9.6).
   */
  #linger(body: string | Buffer | undefined) {
    const { req, res } = this
    if (body === undefined || req.method === 'HEAD') res.flushHeaders()
    else res.write(body)
    const end = () => {
      clearTimeout(quiet)
      clearTimeout(whole)
      res.end()
    }
    const quiet = setTimeout(end, QUIET_MS)
    const whole = setTimeout(end, LINGER_MS)
    req.on('data', () => quiet.refresh())
    req.once('end', end)
    req.once('error', end)
    req.resume()
  }
}

/**
 * Any answer may be opened as a page: links on it tell nobody its address, which may hold a token, and a page that opened
 * it keeps no hold of it. `Strict-Transport-Security` is for whoever ends TLS: this server has none (RFC 6797, section 7.2).
 */
export const commonHeaders: readonly string[] = [
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
]

/** A caller that sends nothing for so long has stopped; no caller is waited for longer than that. As nginx does. */
const QUIET_MS = 5_000
const LINGER_MS = 30_000
const TOO_MANY = 429

/** Whether a request is not worth reading to its end only to keep its connection. */
function hasMuchToSend({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MAX_SKIPPED_BYTES
}

const MAX_SKIPPED_BYTES = 65_536

/** The gateway's own address, as its callers write it. */

/**
 * The address that a `Host` header names, without a slash at its end; empty where it names none. This server speaks plain
 * HTTP: behind a proxy that ends TLS the deployment sets the address itself.
 */
function baseUrlOf(host: string | undefined): string {
  return host !== undefined && AUTHORITY.test(host) ? `http://${host}` : ''
}

/** A name or an address, and perhaps a port (RFC 9110, section 7.2). */
const AUTHORITY = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i
