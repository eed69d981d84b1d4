/** One request and its answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Id } from '@millhand/api'
import { corsHeaders } from './cors.ts'

/** Whether the process is going away; an answer then tells its connection to close. */
export interface Lifetime {
  readonly stopping: boolean
}

export class Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly requestId: Id<'req'>
  /** 0 until the answer is sent. */
  status = 0
  #lifetime: Lifetime
  #carried: string[] | undefined

  constructor(req: IncomingMessage, res: ServerResponse, requestId: Id<'req'>, lifetime: Lifetime) {
    this.req = req
    this.res = res
    this.requestId = requestId
    this.#lifetime = lifetime
  }

  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined {
    return this.req.headers[name] as string | undefined
  }

  /** The method, where `HEAD` counts as `GET`: the answers differ only in that node leaves the body of one out. */
  get method(): string {
    return this.req.method === 'HEAD' ? 'GET' : (this.req.method as string)
  }

  /** Puts a header on the answer, whatever it will be. */
  carry(name: string, value: string) {
    this.#carried ??= []
    this.#carried.push(name, value)
  }

  /** Sends nothing any more: something else was answered in its place. */
  abandon() {
    this.status = -1
  }

  /** Sends the answer, once. `headers` are names and values by turns; `Content-Length` comes from the body. */
  send(status: number, headers: readonly string[], body?: string | Buffer) {
    if (this.status !== 0) return
    this.status = status
    const all = ['X-Request-Id', this.requestId, ...headers, ...corsHeaders(this.req.headers.origin)]
    if (this.#carried) all.push(...this.#carried)
    if (body !== undefined) all.push('Content-Length', String(Buffer.byteLength(body)))
    const isCutShort = !this.req.complete && hasMuchToSend(this.req)
    if (isCutShort || this.#lifetime.stopping) all.push('Connection', 'close')
    this.res.writeHead(status, all)
    if (isCutShort) this.#linger(body)
    else this.res.end(body)
  }

  /**
   * Sends the body of an answer that comes before the whole request, and keeps the connection until the caller has stopped sending, for at most a second: closing while
   * it still sends makes its system throw the answer away unread (RFC 9112, section 9.6).
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

const LINGER_MS = 1000

/** Whether a request is not worth reading to its end only to keep its connection. */
function hasMuchToSend({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MOST_SKIPPED
}

const MOST_SKIPPED = 65_536
