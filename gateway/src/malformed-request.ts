/** Answers to bytes that are no valid request, written to the socket, because node makes no response object for them. */
import type { Duplex } from 'node:stream'
import { fail, type Id, type Ids, problemOf } from '@millhand/api'
import type { Connection } from './connection.ts'
import { commonHeaders } from './exchange.ts'

/**
 * Answers bytes that are not HTTP, a head that is too large, or a request that took too long to come, and ends the
 * connection; earlier requests of the connection are answered first, and their waits end. Sends nothing to
 * a caller that is gone. A second call for one connection does nothing: node reports whatever comes behind.
 */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex, connection: Connection, ids: Ids) {
  if (!socket.writable || silent.has(error.code ?? '')) {
    socket.destroy()
    return
  }
  if (connection.isRefused) return
  connection.isRefused = true
  const last = connection.open.at(-1)
  const current = last?.hasCome === false ? last : undefined
  current?.abandon()
  const [status, title, detail] = refusals[error.code ?? ''] ?? notHttp
  const requestId = current?.requestId ?? ids('req')
  // About HTTP itself and not about a call of ours, so it has no code of the catalogue (RFC 9457, section 4.2.1).
  const problem = { type: 'about:blank', title, status, detail, request_id: requestId }
  connection.afterAnswers(() => end(socket, `${status} ${title}`, requestId, problem))
  connection.drain()
}

/** Answers `CONNECT`: this is no proxy. */
export function refuseConnect(socket: Duplex, requestId: Id<'req'>) {
  const problem = problemOf(fail('method_not_allowed', '`CONNECT` is not served.'), requestId)
  end(socket, '405 Method Not Allowed', requestId, problem, 'Allow: GET, HEAD, POST, DELETE, OPTIONS\r\n')
}

const silent = new Set(['ECONNRESET', 'EPIPE'])

type Refusal = readonly [status: number, title: string, detail: string]

const refusals: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not come whole in the time that it may take.'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The head of the request is larger than 16 KiB.'],
}
const notHttp: Refusal = [400, 'Bad Request', 'What came is not a request of HTTP/1.1.']

/** Lines of the head that every answer has. */
const shared = commonHeaders.map((text, at) => `${text}${at % 2 === 0 ? ': ' : '\r\n'}`).join('')

function end(socket: Duplex, status: string, requestId: string, problem: object, headers = '') {
  const body = JSON.stringify(problem)
  socket.on('error', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\n${shared}Date: ${new Date().toUTCString()}\r\nConnection: close\r\n${headers}\r\n${body}`,
    () => socket.destroy(),
  )
}
