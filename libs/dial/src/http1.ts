/** A connection that speaks HTTP/1.1: one post after the other. Node's client reads and writes it. */
import { Agent, type ClientRequest, type IncomingMessage, request as send } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '@millhand/process'
import { type Connection, IDLE_MS, MAX_HEAD_BYTES, MAX_INTERIM, retryAfterOf } from './connection.ts'
import { readExcerpt } from './excerpt.ts'
import { DialFailure } from './failure.ts'

/** `socket` is connected, and nothing has been sent on it but a TLS handshake. */
export function createHttp1(socket: Socket, clock: Clock): Connection {
  // Holds the one socket between posts, and never makes another.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  agent.createConnection = () => socket
  socket.on('error', () => {}) // Told to the post that is under way; there may be none.
  let isKept = false
  let keepMs = IDLE_MS

  return {
    get takes() {
      return socket.writable ? 1 : 0
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
