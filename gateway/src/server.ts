/** The HTTP server: sockets, time limits and a stop that lets answers finish. */
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { Ids } from '@millhand/api'
import { ignoreAcceptErrors } from '@millhand/rpc'
import type { Log } from '@millhand/telemetry'
import { Connection, type Messages } from './connection.ts'
import { Exchange, type Head } from './exchange.ts'
import { refuseConnect, refuseMalformed } from './malformed-request.ts'
import { boundPipelining, isFull, pauseWhenFull } from './pipelining.ts'
import { detectProtocol } from './protocol.ts'
import { requestIdOf } from './request-id.ts'
import type { RpcServer } from './rpc/rpc-server.ts'
import { HEADERS_MS, KEEP_ALIVE_MS, READER_MS, REQUEST_MS, type ServerLimits } from './server-limits.ts'
import { readRequests, type SingleRead } from './single-read/single-reads.ts'

export interface ServerOptions {
  readonly http: { readonly host: string; readonly port: number }
  readonly ids: Ids
  /** Answers an exchange; never rejects. */
  handle(exchange: Exchange): Promise<void>
  /** Called once when the stop begins: waits and streams then end. */
  onStop(): void
  /** Has the connections of HTTP/2. */
  readonly rpc: Omit<RpcServer, 'endpoints'>
  readonly log: Log
  /** The address by which callers reach the gateway, without a slash at its end. */
  readonly publicUrl?: string | undefined
  readonly limits?: ServerLimits | undefined
}

export interface Server {
  /** Fails where the address can't be had. */
  listen(): Promise<{ readonly url: string }>
  /** Whether a request has come in the last `ms` milliseconds. */
  hasRequestWithin(ms: number): boolean
  /** From now on every answer has `Connection: close`; nothing else changes. Idempotent. */
  drain(): void
  /** Refuses new connections, lets answers in flight finish for at most 10 s. Idempotent. */
  close(): Promise<void>
}

export function createHttpServer(options: ServerOptions): Server {
  const { http, ids, handle, onStop, rpc, log, publicUrl, limits = {} } = options
  const { requestMs = REQUEST_MS, readerMs = READER_MS, headersMs = HEADERS_MS } = limits
  const state = { stopping: false, publicUrl, senderMs: requestMs, readerMs }
  // By connection, because a set of all exchanges costs: each time a set that is added to and deleted from grows full,
  // V8 makes a new table that the old one points to, and what was in an old table is garbage that few collections free.
  const connections = new Map<Duplex, Connection>()
  let lastRequestAt = Number.NEGATIVE_INFINITY

  const server = openServer(limits)
  const begin = (request: Messages | SingleRead, head: Head, connection: Connection) => {
    lastRequestAt = performance.now()
    void handle(new Exchange(request, requestIdOf(head, ids), connection))
  }
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    const connection = connections.get(req.socket)
    // The connection closed before its last request was read, or ends with the answer to one before.
    if (connection === undefined || connection.isRefused) return
    if (connection.adopt !== undefined) return connection.adopt({ req, res })
    begin({ req, res }, req, connection)
    pauseWhenFull(req.socket, connection)
  }
  server.on('request', serve)
  // The reader of the body sends `100 Continue`; an expectation that is not known is ignored (RFC 9110, section 10.1.1).
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  server.on('connect', (_req, socket) => refuseConnect(socket, ids('req')))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket)
    if (connection === undefined) socket.destroy()
    else if (error.code !== TIMED_OUT || !(connection.hasSlowBody || isFull(connection))) {
      refuseMalformed(error, socket, connection, ids)
    }
  })
  // Called where nothing was received or sent for so long: answers that a caller does not read are held in memory.
  server.setTimeout(readerMs, socket => {
    if (connections.get(socket)?.waitsForCaller !== false) socket.destroy()
  })
  // Node's own listener takes connections of HTTP/1.1 alone.
  const [serveHttp1] = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const connection = new Connection(state, () => refuseMalformed(timedOut(), socket, connection, ids))
    connections.set(socket, connection)
    // A caller that is gone looks the same as one that half-closes, so nothing may wait for it.
    socket.once('end', () => connection.drain())
    socket.once('close', () => {
      connections.delete(socket)
      connection.end()
    })
    detectProtocol(socket, headersMs, {
      http1(first) {
        readRequests(socket, first, {
          connection,
          toNode() {
            serveHttp1?.call(server, socket)
            boundPipelining(socket, connection)
          },
          serve: request => begin(request, request, connection),
        })
      },
      http2() {
        connections.delete(socket)
        rpc.accept(socket)
      },
      silent: connection.timeOut,
    })
  })

  let closing: Promise<void> | undefined
  function stop(): Promise<void> {
    state.stopping = true
    return stopServer(server, connections, { onStop, rpc, ...limits })
  }

  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(http.port, http.host, () => {
          server.off('error', reject)
          ignoreAcceptErrors(server, log)
          resolve({ url: urlOf(server.address() as AddressInfo) })
        })
      }),
    hasRequestWithin: ms => performance.now() - Math.max(lastRequestAt, rpc.lastCallAt()) < ms,
    drain() {
      if (state.stopping) return
      state.stopping = true
      rpc.leave()
    },
    close() {
      closing ??= server.listening ? stop() : Promise.resolve()
      return closing
    },
  }
}

function openServer({ headersMs = HEADERS_MS, requestMs = REQUEST_MS, checkMs = 5_000 }: ServerLimits): HttpServer {
  const server = createServer({
    keepAlive: true,
    noDelay: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    // Whatever flags the process has: node must not refuse what `parseRequest` has taken.
    maxHeaderSize: 16_384,
    // Checked where it can be answered with a problem.
    requireHostHeader: false,
  })
  // A client that half-closes still gets its answers, and then the connection ends. Node has no option for it, only this
  // property.
  return Object.assign(server, { httpAllowHalfOpen: true })
}

/** Lets answers in flight finish for at most `stopMs`. */
async function stopServer(
  server: HttpServer,
  connections: ReadonlyMap<Duplex, Connection>,
  { onStop, rpc, stopMs = 10_000 }: Pick<ServerOptions, 'onStop' | 'rpc'> & Pick<ServerLimits, 'stopMs'>,
): Promise<void> {
  const endIdle = (which: (socket: Socket, connection: Connection) => boolean) => {
    for (const [duplex, connection] of connections) {
      const socket = duplex as Socket
      if (connection.open.length === 0 && which(socket, connection)) socket.destroySoon()
    }
  }
  const closed = new Promise<void>(resolve => {
    // The close of `http.Server` would cut answers that are written but not yet flushed.
    NetServer.prototype.close.call(server, () => resolve())
  })
  onStop()
  rpc.drain()
  const cutting = setTimeout(() => {
    for (const socket of connections.keys()) socket.destroy()
    rpc.cut()
  }, stopMs)
  // What has arrived by now is read in the next turns: closing a socket before would throw it away.
  await turn()
  await turn()
  const isBeginning = (socket: Socket, connection: Connection) => socket.bytesRead > connection.answeredBytes
  endIdle((socket, connection) => !isBeginning(socket, connection))
  const ending = setTimeout(() => endIdle(() => true), Math.min(BEGUN_MS, stopMs))
  await closed
  clearTimeout(cutting)
  clearTimeout(ending)
  // Ends the timer that looks after the time limits.
  server.close()
}

/** For the rest of a request's head to arrive, where some of it has when the server stops: milliseconds. */
const BEGUN_MS = 1_000

/** What node calls a request that took too long to come. It asks once for each, and leaves what to do to us. */
const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'

const timedOut = () => Object.assign(new Error('the request does not come on'), { code: TIMED_OUT })

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
