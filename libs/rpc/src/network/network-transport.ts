/** Calls to one replica of a service, in the ordinary protocols. */
import { type ClientHttp2Stream, constants, type Http2Session } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Transport } from '@connectrpc/connect'
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from '@connectrpc/connect-node'
import { binaryOptions } from '../binary-options.ts'
import { mapConnectionErrors } from './connection-errors.ts'
import { type OutgoingHeaders, sendHeaders } from './outgoing-headers.ts'

export interface NetworkTransportOptions {
  /** `http://host:port`, or `https:` for TLS. */
  readonly url: string
  /** The service token, sent with every call; a function is asked for each. */
  readonly token?: string | (() => string)
  /** What else is sent, made from the context values of a call. */
  readonly headers?: OutgoingHeaders
  readonly tls?: ClientTls
  /** How long the peer may take to answer a ping. Default 1,000. */
  readonly pingTimeoutMs?: number
  /** Default `connect`, which costs least. */
  readonly protocol?: 'connect' | 'grpc' | 'grpc-web'
}

/** PEM. */
export interface ClientTls {
  /** Who signs the server's certificate, where the system does not know it. */
  readonly ca?: string
  /** The client's own certificate, for mTLS. */
  readonly cert?: string
  readonly key?: string
}

export interface NetworkTransport extends Transport {
  /** Ends the connection; calls in flight fail `unavailable`. A later call opens another. Idempotent. */
  close(): void
}

/**
 * A peer that died without a word under a call is known to be dead 3 s after it was last heard of: 2 until it is asked,
 * then 1. A connection without calls is asked before the next one. (With `pingIdleConnection` Connect 2.2 pings sessions
 * that are gone, too, which throws where nobody can catch it.)
 */
const PING_EVERY_MS = 2_000
const PING_TIMEOUT_MS = 1_000
/** A host that is not there does not refuse connections; the system would try for minutes. */
const CONNECT_MS = 3_000
/**
 * MB that Node lets the connection hold of what waits to be sent. Beyond it Node resets every answer, and calls that were
 * done look lost; its default of 10 is one large message. What may wait is bounded by those who call.
 */
const SESSION_MEMORY_MB = 1_000

/** One HTTP/2 connection, opened by the first call and again when it is lost. Calls fail `unavailable` while it can't be. */
export function createNetworkTransport(options: NetworkTransportOptions): NetworkTransport {
  const { url, token, headers, tls = {}, protocol = 'connect', pingTimeoutMs = PING_TIMEOUT_MS } = options
  const sessionManager = new EarlyResponseSessions(
    url,
    { pingIntervalMs: PING_EVERY_MS, pingTimeoutMs },
    {
      createConnection: authority => withinTime(open(authority, tls)),
      maxSessionMemory: SESSION_MEMORY_MB,
    },
  )
  const interceptors = [mapConnectionErrors]
  if (headers !== undefined) interceptors.push(sendHeaders(headers))
  if (token !== undefined) {
    const latest = typeof token === 'string' ? () => token : token
    interceptors.push(sendHeaders(() => [['authorization', `Bearer ${latest()}`]]))
  }
  const transport = transports[protocol]({
    httpVersion: '2',
    baseUrl: url,
    sessionManager,
    interceptors,
    acceptCompression: [],
    binaryOptions,
  })
  return { ...transport, close: () => sessionManager.abort() }
}

/**
 * A server that needs no more of a request may reset its stream with NO_ERROR, once it has sent the whole answer (RFC 9113,
 * section 8.1); those in Go do. Where the request is still open, Node then emits 'aborted' and keeps the answer, but its
 * iterators fail on 'aborted' where some of it is unread. They listen for it where `aborted` is a boolean.
 */
class EarlyResponseSessions extends Http2SessionManager {
  override async request(...args: Parameters<Http2SessionManager['request']>): Promise<ClientHttp2Stream> {
    const stream = await super.request(...args)
    outlive(stream.session)
    Object.defineProperty(stream, 'aborted', { value: undefined })
    stream.once('aborted', () => {
      // After any other code the stream is destroyed, with whatever is unread.
      if (stream.rstCode === constants.NGHTTP2_NO_ERROR && !hasEnded(stream)) stream.destroy(brokenOff())
    })
    return stream
  }
}

/**
 * Connect 2.2 stops listening to a session that is ending, as one does that its server told to leave, when the next call opens
 * another. The error with which it ends would then be thrown where nobody can catch it.
 */
function outlive(session: Http2Session | undefined): void {
  if (session?.listeners('error').includes(ignore) === false) session.on('error', ignore)
}

const ignore = () => {}

/** Whether all of the answer has come, read or not. Node has no public name for it. */
const hasEnded = (stream: object): boolean =>
  (stream as { _readableState?: { ended?: boolean } })._readableState?.ended === true

const brokenOff = () => Object.assign(new Error('the answer broke off'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })

const transports = { connect: createConnectTransport, grpc: createGrpcTransport, 'grpc-web': createGrpcWebTransport }

function open({ protocol, hostname, port }: URL, tls: ClientTls): Socket {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (protocol === 'http:') return connectTcp({ host, port: Number(port || 80), noDelay: true })
  return connectTls({ host, port: Number(port || 443), ALPNProtocols: ['h2'], ...tls })
}

function withinTime(socket: Socket): Socket {
  const connected = 'encrypted' in socket ? 'secureConnect' : 'connect'
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error(`no connection within ${CONNECT_MS} ms`), { code: 'ETIMEDOUT' }))
  }, CONNECT_MS)
  for (const event of [connected, 'close']) socket.once(event, () => clearTimeout(timer))
  return socket
}
