/** gRPC, gRPC-Web and Connect at REST's address: over HTTP/2, and but for gRPC over HTTP/1.1. */
import { createServer } from 'node:http2'
import type { Socket } from 'node:net'
import { createSessions, defaultKeepAlive, http2Limits } from '@millhand/rpc/network'
import type { Endpoint } from '../pipeline/match.ts'
import { READER_MS } from '../server-limits.ts'
import { type AnswerDeps, createAnswers } from './answers.ts'
import { closeWhenIdle } from './idle-sessions.ts'
import { type RpcDeps, rpcMethods } from './rpc-handlers.ts'

export interface RpcServer {
  /** The methods over HTTP/1.1. */
  readonly endpoints: readonly Endpoint[]
  /** Takes over a connection whose first bytes are those of HTTP/2. */
  accept(socket: Socket): void
  /** When a call came over HTTP/2, by the monotonic clock. */
  lastCallAt(): number
  /** Asks the clients of open sessions to open others, which another gateway may take. */
  leave(): void
  /** Takes no more calls; each session ends with its last one. */
  drain(): void
  /** Ends all of them. */
  cut(): void
}

/** Without a call: longer than the pauses of a client, and than load balancers keep a connection. */
const IDLE_MS = 300_000

export function createRpcServer(deps: RpcDeps & AnswerDeps): RpcServer {
  const { log, limits } = deps
  const methods = rpcMethods(deps)
  const draining = new AbortController()
  const answers = createAnswers(methods, deps, draining.signal)
  const sessions = createSessions(defaultKeepAlive)
  const sockets = new Set<Socket>()
  let lastCallAt = Number.NEGATIVE_INFINITY

  const server = createServer(http2Limits)
  server.on('session', session => {
    sessions.add(session)
    closeWhenIdle(session, IDLE_MS, limits?.readerMs ?? READER_MS)
  })
  server.on('sessionError', error => log.debug('rpc.session_failed', { error }))
  server.on('stream', (stream, headers) => {
    lastCallAt = performance.now()
    stream.on('error', error => log.debug('rpc.stream_failed', { error }))
    answers.toStream(stream, headers).catch((error: unknown) => {
      // What handlers throw has become an answer; this is about writing it, and mostly the caller has gone.
      log.debug('rpc.unanswered', { error })
      stream.destroy()
    })
  })

  return {
    endpoints: [...methods].map(([pattern, method]) => ({
      method: 'POST',
      pattern,
      handle: exchange => answers.toExchange(method, exchange),
    })),
    accept(socket) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      server.emit('connection', socket)
    },
    lastCallAt: () => lastCallAt,
    leave: () => sessions.leave(),
    drain() {
      draining.abort()
      sessions.drain()
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
