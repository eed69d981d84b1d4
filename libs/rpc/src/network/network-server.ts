/** Serves services to other processes: gRPC, gRPC-Web and Connect on one port, over HTTP/2. */

import { createSecureServer, createServer, type Http2SecureServer, type Http2Server } from 'node:http2'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Interceptor, StreamRequest, UnaryRequest } from '@connectrpc/connect'
import { Code, ConnectError, type ConnectRouter, createConnectRouter } from '@connectrpc/connect'
import { isOurs } from '@millhand/api'
import { type Address, type Clock, type Health, systemClock } from '@millhand/process'
import { type Log, traceIds } from '@millhand/telemetry'
import { ignoreAcceptErrors } from '../accept-errors.ts'
import { binaryOptions } from '../binary-options.ts'
import type { Routes } from '../direct-transport.ts'
import { requestIdKey } from '../principal.ts'
import { serve } from '../serve.ts'
import { traceKey } from '../trace.ts'
import type { Admission } from './admission.ts'
import { sayWhyEnded } from './consumers/consumer-calls.ts'
import { healthService } from './health-service.ts'
import { http2Limits } from './http2-limits.ts'
import { reflectionService } from './reflection-service.ts'
import { requestHandler } from './request-handler.ts'
import { createSessions, defaultKeepAlive, type KeepAlive } from './sessions.ts'

export interface NetworkServerOptions {
  readonly address: Address
  /** Registers the services, as `serve` takes them: every request is checked, and refused without a needed principal. */
  readonly services: (router: Routes) => void
  /** Routes that answer for themselves, and what they do first when the server stops. */
  readonly extra?: readonly ExtraRoutes[]
  readonly admission: Admission
  /** The server's own part is `rpc`: ready from when it listens until it stops. */
  readonly health: Health
  /** The largest message of a request, where it is larger than gRPC has it. */
  readonly mostMessageBytes?: number
  /** Without it everything goes in the clear. */
  readonly tls?: ServerTls
  readonly log: Log
  readonly clock?: Pick<Clock, 'sleep'>
  readonly keepAlive?: KeepAlive
}

export interface ExtraRoutes {
  routes(router: ConnectRouter): void
  /** Asks the other side of what would not end by itself to leave. */
  drain?(): Promise<void>
}

/** PEM. */
export interface ServerTls {
  readonly cert: string
  readonly key: string
  /** Who signs the certificates of clients: with it, a client without one is not let in (mTLS). */
  readonly ca?: string
}

export interface NetworkServer {
  /** With the port that was taken where the address says 0. */
  readonly url: string
  /**
   * Says NOT_SERVING to those who ask for its health, and GOAWAY on the sessions that are open; all else goes on, new
   * sessions and tunnels too. Idempotent.
   */
  drain(): void
  /**
   * Says NOT_SERVING, takes no new connections and no new calls, and lets calls in flight finish for at most `graceMs`.
   * Then they are ended. Idempotent: all calls wait for the first.
   */
  close(graceMs: number): Promise<void>
}

/** The largest message that is read. A tunnel's is at most 256 KiB and one call, whose input has at most 512 KiB. */
const READ_MAX_BYTES = 8 * 1024 * 1024
/** What a tunnel's message may hold beside one call. */
const MARGIN_BYTES = 1024 * 1024
const MAX_CONNECTIONS = 10_000
const HANDSHAKE_MS = 10_000
/** Before the end of the grace: for calls that are ended to say so. */
const LAST_WORDS_MS = 100

/** Resolves once it listens. @throws Error when the address can't be had, or a service can't be served */
export async function serveNetwork(options: NetworkServerOptions): Promise<NetworkServer> {
  const { address, admission, health, tls, log, clock = systemClock, extra = [] } = options
  const draining = new AbortController()
  let isLeaving = false
  const ending = new AbortController()
  const sessions = createSessions(options.keepAlive ?? defaultKeepAlive)
  const sockets = new Set<Socket>()

  const router = createConnectRouter({
    requestGate: admission.gate,
    interceptors: [sayWhyEnded, reportFailures(log)],
    // Between processes that are near each other it costs more than it saves.
    acceptCompression: [],
    readMaxBytes: Math.max(READ_MAX_BYTES, (options.mostMessageBytes ?? 0) + MARGIN_BYTES),
    binaryOptions,
    shutdownSignal: ending.signal,
  })
  const served = () => [...new Set(router.handlers.map(handler => handler.service))]
  serve(options.services, router)
  for (const { routes } of extra) routes(router)
  healthService({
    health,
    isLeaving: () => isLeaving,
    services: () => served().map(({ typeName }) => typeName),
    clock,
  })(router)
  reflectionService(served)(router)

  const server = http2Server(tls)
  server.maxConnections = MAX_CONNECTIONS
  server.on('request', requestHandler(router, { admission, draining: draining.signal, log }))
  server.on('session', session => sessions.add(session))
  server.on('sessionError', error => log.debug('rpc.session_failed', { error }))
  server.on('tlsClientError', error => log.warn('rpc.handshake_failed', { error }))
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const url = await listen(server, address, tls === undefined ? 'http' : 'https', log)
  health.set('rpc', true)

  const stop = async (graceMs: number) => {
    health.set('rpc', false, 'the process stops')
    draining.abort()
    // The close of an `Http2Server` would end sessions with one GOAWAY, and lose calls on their way.
    const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
    const left = extra.map(({ drain }) => drain?.())
    sessions.drain()
    const warning = setTimeout(() => ending.abort(stopping()), Math.max(0, graceMs - LAST_WORDS_MS))
    const end = setTimeout(() => {
      log.warn('rpc.cut', { connections: sockets.size })
      for (const socket of sockets) socket.destroy()
    }, graceMs)
    await closed
    await Promise.all(left)
    clearTimeout(warning)
    clearTimeout(end)
  }
  let stopped: Promise<void> | undefined
  return {
    url,
    drain() {
      if (isLeaving) return
      isLeaving = true
      sessions.leave()
    },
    close(graceMs) {
      stopped ??= stop(graceMs)
      return stopped
    },
  }
}

function http2Server(tls: ServerTls | undefined): Http2Server | Http2SecureServer {
  if (tls === undefined) return createServer(http2Limits)
  const { cert, key, ca } = tls
  const clients = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true }
  return createSecureServer({ ...http2Limits, cert, key, ...clients, handshakeTimeout: HANDSHAKE_MS })
}

async function listen(
  server: Http2Server | Http2SecureServer,
  address: Address,
  scheme: string,
  log: Log,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, () => {
      server.off('error', reject)
      ignoreAcceptErrors(server, log)
      resolve()
    })
  })
  const { address: host, family, port } = server.address() as AddressInfo
  return `${scheme}://${family === 'IPv6' ? `[${host}]` : host}:${port}`
}

const stopping = () => new ConnectError('the server stops', Code.Unavailable)

/** Logs every error that a handler did not mean for its caller. */
export function reportFailures(log: Log): Interceptor {
  const report = (request: UnaryRequest | StreamRequest, error: unknown) => {
    if (error instanceof ConnectError && (!unmeant.has(error.code) || !isOurs(error))) return
    const { service, method, contextValues, signal } = request
    // What fails because its caller has gone is no fault of ours.
    const level = signal.aborted ? 'debug' : 'error'
    const requestId = contextValues.get(requestIdKey)
    const ids = { request_id: requestId, ...traceIds(contextValues.get(traceKey)) }
    log[level]('rpc.failed', { method: `${service.typeName}/${method.name}`, ...ids, error })
  }
  return next => async request => {
    try {
      const response = await next(request)
      if (!response.stream) return response
      return { ...response, message: watched(response.message, error => report(request, error)) }
    } catch (error) {
      report(request, error)
      throw error
    }
  }
}

async function* watched<T>(messages: AsyncIterable<T>, onError: (error: unknown) => void): AsyncGenerator<T> {
  try {
    yield* messages
  } catch (error) {
    onError(error)
    throw error
  }
}

const unmeant: ReadonlySet<Code> = new Set([Code.Internal, Code.Unknown, Code.DataLoss])
