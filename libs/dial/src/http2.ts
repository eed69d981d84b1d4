/** A connection that speaks HTTP/2: posts beside each other. Node's client reads and writes it. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2'
import type { Socket } from 'node:net'
import type { Clock } from '@millhand/process'
import { type Connection, IDLE_MS, MAX_HEAD_BYTES, MAX_INTERIM, retryAfterOf } from './connection.ts'
import { readExcerpt } from './excerpt.ts'
import { DialFailure } from './failure.ts'

type Head = IncomingHttpHeaders & IncomingHttpStatusHeader

/** `socket` has agreed to HTTP/2 in its TLS handshake. Resolves when both sides have agreed to each other's settings. */
export async function openHttp2(socket: Socket, clock: Clock, signal: AbortSignal): Promise<Connection> {
  const session = connect('https://endpoint', {
    createConnection: () => socket,
    settings: { enablePush: false, maxHeaderListSize: MAX_HEAD_BYTES },
  })
  let takes = MAX_STREAMS
  let isKept = false
  let isRetired = false
  let open = 0
  // Node waits for the other side to close as well once either has said that it leaves: that may never come.
  const destroy = () => {
    session.destroy()
    socket.destroy()
  }
  /** No more posts; those under way go on. */
  const retire = () => {
    isRetired = true
    if (open === 0) destroy()
  }
  session.on('remoteSettings', ({ maxConcurrentStreams = MAX_STREAMS }) => {
    takes = Math.min(maxConcurrentStreams, MAX_STREAMS)
  })
  session.on('goaway', retire)
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  try {
    await agreed(session, signal)
  } catch (error) {
    destroy()
    throw error
  }

  return {
    get takes() {
      return isRetired || session.closed || session.destroyed ? 0 : takes
    },
    keepMs: IDLE_MS,
    closed,
    destroy,
    async post({ authority, path, headers, body }, signal) {
      open++
      const wasKept = isKept
      try {
        const stream = begin(session, {
          ...headers,
          ':method': 'POST',
          ':scheme': 'https',
          ':authority': authority,
          ':path': path,
          'content-length': body.length,
        })
        const head = await headOf(stream.end(body), () => wasKept && session.destroyed, signal)
        isKept = true
        const { text, whole } = await readExcerpt(stream, clock, signal)
        // What is answered before all of it has been read leaves a rest that nobody may read.
        if (!whole || !stream.writableFinished) stream.close(constants.NGHTTP2_CANCEL)
        return { status: head[':status'] as number, ...retryAfterOf(head['retry-after']), excerpt: text }
      } catch (error) {
        // It may be a connection on which nothing comes any more.
        if (signal.aborted) isRetired = true
        throw error
      } finally {
        open--
        if (isRetired) retire()
      }
    },
  }
}

/** Of one connection, whatever its server takes: as many as Node lets a server have that says nothing. */
const MAX_STREAMS = 100

/** The server has sent its settings, with which it begins, and then that it keeps to ours (RFC 9113, section 3.4). */
function agreed(session: ClientHttp2Session, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => fail(signal.reason)
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', onAbort)
      reject(error)
    }
    // It stays: an error of the session is told by each of its streams too.
    session.on('error', error => fail(failureOf(error)))
    session.once('close', () => fail(failureOf()))
    session.once('localSettings', () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
}

function begin(session: ClientHttp2Session, headers: Record<string, string | number>): ClientHttp2Stream {
  try {
    return session.request(headers)
  } catch (error) {
    // It ended, or has no numbers left, since it was chosen.
    const { code = '' } = error as NodeJS.ErrnoException
    if (ended.has(code)) throw new DialFailure('reset', 'the connection was closed before the post', true)
    throw error
  }
}

const ended = new Set(['ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION', 'ERR_HTTP2_OUT_OF_STREAMS'])

/**
 * The head that is no 1xx. A failure is repeatable when the connection `isStale`: closed before it heard of the post; or
 * when the server says that it has not begun, which is also what Node makes of streams that a GOAWAY leaves out.
 */
function headOf(stream: ClientHttp2Stream, isStale: () => boolean, signal: AbortSignal): Promise<Head> {
  return new Promise((resolve, reject) => {
    let interim = 0
    const onAbort = () => fail(signal.reason)
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', onAbort)
      stream.close(constants.NGHTTP2_CANCEL)
      reject(error)
    }
    const onEnd = (error?: NodeJS.ErrnoException) => {
      const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
      fail(failureOf(error, isRefused || isStale()))
    }
    const onClose = () => onEnd()
    stream.on('error', onEnd)
    stream.once('close', onClose)
    stream.on('headers', () => {
      if (++interim > MAX_INTERIM) fail(new DialFailure('protocol_error', 'too many 1xx answers came'))
    })
    stream.once('response', head => {
      stream.off('close', onClose)
      signal.removeEventListener('abort', onAbort)
      resolve(head)
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
}

function failureOf({ code = '', message = '' }: Partial<NodeJS.ErrnoException> = {}, repeatable = false): DialFailure {
  // What Node's own reader says; what the server gives as its reason is ERR_HTTP2_SESSION_ERROR or _STREAM_ERROR.
  if (code === 'ERR_HTTP2_ERROR') return new DialFailure('protocol_error', 'the answer is not HTTP/2')
  if (message.includes('NGHTTP2_ENHANCE_YOUR_CALM'))
    return new DialFailure('protocol_error', 'the head of the answer is too long')
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return new DialFailure('tls_failed', 'TLS was ended')
  return new DialFailure('reset', 'the connection was closed before an answer came', repeatable)
}
