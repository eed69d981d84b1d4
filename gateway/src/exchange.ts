/** One request and its answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Id, KeyMode } from '@millhand/api'
import type { TraceContext } from '@millhand/telemetry'
import { baseUrlOf } from './base-url.ts'
import type { Connection, Messages, ServerState } from './connection.ts'
import { corsHeaders } from './cors.ts'
import { CallBudget, type Inbound } from './inbound.ts'
import { SingleRead } from './single-read/single-reads.ts'

/** The caller has closed the connection: there is no answer. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone'
}

/** The head of a request. */
export type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'httpVersionMinor'> & {
  readonly method?: string | undefined
  readonly url?: string | undefined
}

export class Exchange implements Inbound {
  readonly head: Head
  readonly socket: Socket
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
  /** Called when the connection is closed before the answer is sent. */
  onGone: (() => void) | undefined
  /** One of the two: node's objects, or a request that came in a single read and has not needed them. */
  #messages: Messages | undefined
  #single: SingleRead | undefined
  readonly #budget = new CallBudget()
  #connection: Connection
  #added: string[] | undefined
  readonly #held = new DisposableStack()
  #isReleased = false
  #rate: readonly string[] | undefined

  constructor(request: Messages | SingleRead, requestId: Id<'req'>, connection: Connection) {
    this.requestId = requestId
    this.#connection = connection
    connection.open.push(this)
    connection.unsent.push(this)
    if (request instanceof SingleRead) {
      this.head = request
      this.socket = request.socket
      this.#single = request
      request.onNode = messages => this.#take(messages)
    } else {
      this.head = request.req
      this.socket = request.req.socket
      this.#take(request)
    }
  }

  #take(messages: Messages) {
    this.#messages = messages
    this.#single = undefined
    messages.res.once('close', () => this.#connection.sent(this))
  }

  /** For what the head, the body that has come and `send` do not do. */
  get req(): IncomingMessage {
    return this.#node.req
  }

  get res(): ServerResponse {
    return this.#node.res
  }

  get #node(): Messages {
    if (this.#single !== undefined && this.isGone) throw new CallerGone('the caller left before its answer began')
    this.#single?.toNode()
    return this.#messages as Messages
  }

  /** The body, where it came with the head. */
  get wholeBody(): Buffer | undefined {
    return this.#single?.body
  }

  /** Whether all of the request has come. */
  get hasCome(): boolean {
    return this.#messages?.req.complete !== false
  }

  /** Whether the connection is closed. */
  get isGone(): boolean {
    return this.socket.destroyed
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
    return this.head.headers[name] as string | undefined
  }

  get bodyLength(): number | undefined {
    const { headers } = this.head
    return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined
  }

  get peer(): string {
    return this.socket.remoteAddress ?? ''
  }

  get connection(): object {
    return this.socket
  }

  /** The method, where `HEAD` counts as `GET`: the answers differ only in the body, which node leaves out. */
  get method(): string {
    return this.head.method === 'HEAD' ? 'GET' : (this.head.method as string)
  }

  /** The path without the query, which may hold a secret and must not be logged. */
  get path(): string {
    const url = this.head.url as string
    const end = url.indexOf('?')
    return end === -1 ? url : url.slice(0, end)
  }

  /** The address by which the caller reaches the gateway, without a slash at its end; empty where it is not known. */
  get baseUrl(): string {
    return this.#connection.server.publicUrl ?? baseUrlOf(this.head.headers.host)
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
    const isCutShort = !this.hasCome && hasMuchToSend(this.head)
    // A caller over its limits that has pipelined more requests gets no further answers on that connection.
    const isLast = status === TOO_MANY && this.#connection.unsent.length > 1
    if (isLast) this.#connection.isEnding = true
    if (isLast) this.socket.pause()
    const single = this.#single
    const isEnd = isCutShort || isLast || this.#connection.server.stopping || single?.socket.readableEnded === true
    const all = this.#allHeaders(headers, body, isEnd)
    if (single !== undefined && (body !== undefined || isBodiless(status))) {
      return single.answer(status, all, body ?? '', isEnd, () => this.#connection.sent(this))
    }
    this.#writeHead(status, all)
    // Whatever comes behind a request that is not read is not looked at, so nothing is wrong with it.
    if (isCutShort) this.#connection.isRefused = true
    if (isCutShort) this.#linger(body)
    else this.res.end(body)
  }

  /** Begins the answer, once. What its body is goes into `res`, and `finish` ends it. */
  begin(status: number, headers: readonly string[]) {
    this.status = status
    this.isTimed = false
    this.#writeHead(status, this.#allHeaders(headers, undefined, this.#connection.server.stopping))
  }

  /** Ends an answer that was begun. */
  finish() {
    const { res, socket } = this
    res.end(() => {
      this.#close(this.status)
      const { open, server } = this.#connection
      if (server.stopping && open.length === 0) socket.destroySoon()
    })
  }

  /** Breaks off an answer that was begun, so that the caller does not take it for complete. */
  cut() {
    this.#close(this.status)
    if (this.#single === undefined) this.res.destroy()
    else this.socket.destroy()
  }

  #allHeaders(headers: readonly string[], body: string | Buffer | undefined, isLast: boolean): string[] {
    const all = ['X-Request-Id', this.requestId, ...commonHeaders, ...headers]
    if (body !== undefined) all.push('Content-Length', String(Buffer.byteLength(body)))
    if (this.#rate !== undefined) all.push(...this.#rate)
    if (this.#added !== undefined) all.push(...this.#added)
    if (this.head.headers.origin !== undefined) all.push(...corsHeaders)
    if (isLast) all.push('Connection', 'close')
    return all
  }

  #writeHead(status: number, headers: string[]) {
    const { res } = this
    if (res.socket === null) this.#connection.queued = res
    res.writeHead(status, headers)
  }

  #close(status: number) {
    this.status = status
    const { open } = this.#connection
    const index = open.indexOf(this)
    if (index !== -1) open.splice(index, 1)
    if (open.length === 0) this.#connection.answeredBytes = this.socket.bytesRead
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

/** Whether an answer has neither a body nor a length of one (RFC 9110, sections 15.3.5 and 15.4.5). */
const isBodiless = (status: number) => status === 204 || status === 304

/** Whether a request is not worth reading to its end only to keep its connection. */
function hasMuchToSend({ headers }: Head): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MAX_SKIPPED_BYTES
}

const MAX_SKIPPED_BYTES = 65_536
