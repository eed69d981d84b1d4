/** A connection to an endpoint that speaks HTTP/1.1: one post after the other. Node's client reads and writes it. */

import { Agent, type ClientRequest, type IncomingMessage, request as send } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Clock } from '@millhand/process'
import { DialFailure } from './failure.ts'

/** What is sent. Names of headers are lower-case; none of those that HTTP itself needs. */
interface Message {
  readonly authority: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The head that ends an exchange, and how its body began. */
export interface Reply {
  readonly status: number
  readonly retryAfter?: string
  readonly excerpt: string
}

export interface Connection {
  /** Whether it takes another post. */
  readonly isOpen: boolean
  /** For how long it may be kept when nothing is under way, as its server says; milliseconds. */
  readonly keepMs: number
  /** Resolves as soon as there is a whole head, and the body has ended or is not worth waiting for. Fails with DialFailure. */
  post(message: Message, signal: AbortSignal): Promise<Reply>
  /** At once, whatever is under way. Idempotent. */
  destroy(): void
  readonly closed: Promise<void>
}

/** `socket` is connected, and nothing has been sent on it but a TLS handshake. */
export function createConnection(socket: Socket, clock: Clock): Connection {
  // Holds the one socket between posts, and never makes another.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  agent.createConnection = () => socket
  socket.on('error', () => {}) // Told to the post that is under way; there may be none.
  let isKept = false
  let keepMs = IDLE_MS

  return {
    get isOpen() {
      return socket.writable
    },
    get keepMs() {
      return keepMs
    },
    closed: new Promise(resolve => socket.once('close', () => resolve())),
    destroy: () => socket.destroy(),
    async post({ authority, path, headers, body }, signal) {
      const readBefore = socket.bytesRead
      const isStale = () => isKept && socket.bytesRead === readBefore
      try {
        const request = send({
          agent,
          method: 'POST',
          path,
          headers: { ...headers, host: authority, 'content-length': body.length },
          setHost: false,
          maxHeaderSize: MAX_HEAD_BYTES,
        })
        const over = new Promise(resolve => request.once('close', resolve))
        request.end(body)
        const response = await headOf(request, isStale, signal)
        const { text, whole } = await readExcerpt(response, clock, signal)
        keepMs = keepMsOf(response.headers['keep-alive'])
        isKept = true
        // What is answered before all of it has been read leaves a rest that nobody may read.
        if (whole && request.writableFinished) await over
        else socket.destroy()
        return {
          status: response.statusCode as number,
          ...retryAfterOf(response.headers['retry-after']),
          excerpt: text,
        }
      } catch (error) {
        socket.destroy()
        throw error
      }
    },
  }
}

/** Of one head; nginx has 4 to 8 KiB, most servers 8 KiB. */
const MAX_HEAD_BYTES = 16 * 1024
/** Heads before the one that counts (1xx), of which one or two make sense. */
const MAX_INTERIM = 16
/** For how long a connection without anything to do is kept; less where its server says so. */
const IDLE_MS = 4_000

/** Node's reader counts what is in a head, and passes over empty lines before it without end. */
const MAX_BYTES_TO_HEAD = (MAX_INTERIM + 1) * MAX_HEAD_BYTES + 64 * 1024

/** The head that is no 1xx. A failure is repeatable when the connection `isStale`: closed before it heard of the post. */
function headOf(request: ClientRequest, isStale: () => boolean, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interim = 0
    let bytes = 0
    const onAbort = () => fail(signal.reason)
    const onData = (data: Uint8Array) => {
      bytes += data.length
      if (bytes > MAX_BYTES_TO_HEAD) fail(new DialFailure('protocol_error', 'the head of the answer does not come'))
    }
    const end = () => {
      signal.removeEventListener('abort', onAbort)
      request.socket?.off('data', onData)
    }
    const fail = (error: unknown) => {
      end()
      reject(error)
    }
    // When Node's own reader is there: it must miss nothing.
    request.once('socket', socket => socket.on('data', onData))
    request.once('response', response => {
      end()
      resolve(response)
    })
    request.on('information', () => {
      if (++interim > MAX_INTERIM) fail(new DialFailure('protocol_error', 'too many 1xx answers came'))
    })
    request.once('upgrade', () => fail(new DialFailure('protocol_error', 'another protocol was answered')))
    request.on('error', (error: NodeJS.ErrnoException) => fail(failureOf(error, isStale())))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
}

function failureOf({ code = '' }: NodeJS.ErrnoException, repeatable: boolean): DialFailure {
  if (code === 'HPE_HEADER_OVERFLOW') return new DialFailure('protocol_error', 'the head of the answer is too long')
  if (code.startsWith('HPE_')) return new DialFailure('protocol_error', 'the answer is not HTTP')
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return new DialFailure('tls_failed', 'TLS was ended')
  return new DialFailure('reset', 'the connection was closed before an answer came', repeatable)
}

/** What the server says less a second, in which the post is on its way; the agent itself keeps none that says less. */
function keepMsOf(hint: string | string[] | undefined): number {
  const seconds = /(?:^|[ ,])timeout=(\d{1,6})/.exec(String(hint))?.[1]
  return seconds === undefined ? IDLE_MS : Math.min(IDLE_MS, Number(seconds) * 1000 - 1000)
}

/** A date has 29 characters, a number of seconds fewer: what is longer is neither. */
function retryAfterOf(value: string | string[] | undefined): { retryAfter?: string } {
  return typeof value === 'string' && value.length <= 64 ? { retryAfter: value } : {}
}

/** Of the body as it comes: nothing is decompressed. */
const EXCERPT_BYTES = 4 * 1024
/** So much more is read for the sake of the connection; a body that goes on costs it. */
const DRAINED_BYTES = 64 * 1024
/** The status is known by then: what of the body has not come so long after it is not waited for. */
const BODY_MS = 2_000

interface Excerpt {
  /** Of its first 4 KiB: what is not UTF-8 is replaced, a character that is cut off left out. */
  readonly text: string
  /** The body has ended. It may also break off, be long or slow: that is no failure, for the status has been said. */
  readonly whole: boolean
}

function readExcerpt(body: Readable, clock: Clock, signal: AbortSignal): Promise<Excerpt> {
  return new Promise(resolve => {
    const kept: Uint8Array[] = []
    let bytes = 0
    const end = (whole: boolean) => {
      timer.cancel()
      signal.removeEventListener('abort', cut)
      const text = new TextDecoder().decode(Buffer.concat(kept), { stream: !whole || bytes > EXCERPT_BYTES })
      resolve({ text, whole })
    }
    const cut = () => end(false)
    const timer = clock.timer(BODY_MS, cut)
    signal.addEventListener('abort', cut)
    body.on('data', (chunk: Uint8Array) => {
      if (bytes < EXCERPT_BYTES) kept.push(chunk.subarray(0, EXCERPT_BYTES - bytes))
      bytes += chunk.length
      if (bytes > EXCERPT_BYTES + DRAINED_BYTES) cut()
    })
    body.once('end', () => end(true))
    body.once('close', cut)
    body.on('error', cut)
  })
}
