/** Answers calls: each has its way through Connect's handlers, and is written to a stream of HTTP/2 or an exchange of HTTP/1.1. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { Readable, Writable } from 'node:stream'
import { Code, ConnectError, createContextValues } from '@connectrpc/connect'
import type { UniversalServerResponse } from '@connectrpc/connect/protocol'
import { fail, type Ids, problemOf } from '@millhand/api'
import { drainingKey, grpcTrailer } from '@millhand/rpc/network'
import type { Exchange } from '../exchange.ts'
import type { Inbound } from '../inbound.ts'
import { requestIdOf } from '../request-id.ts'
import { beginCallTrace, endCallTrace } from '../request-trace.ts'
import { READER_MS, REQUEST_MS, type ServerLimits } from '../server-limits.ts'
import type { RequestCounts } from '../status/request-counts.ts'
import { recordUnknown, requestRecorder } from '../status/request-metrics.ts'
import { writeBody } from './answer-writer.ts'
import { jsonBody, requestBody } from './request-body.ts'
import { RpcCall, rpcCallKey } from './rpc-call.ts'
import type { RpcMethod } from './rpc-handlers.ts'
import { StreamExchange } from './stream-exchange.ts'

export interface AnswerDeps {
  readonly ids: Ids
  readonly counts: RequestCounts
  /** For a request to come, and for a caller to take some of its answer. */
  readonly limits?: Pick<ServerLimits, 'requestMs' | 'readerMs'> | undefined
}

export interface Answers {
  /** Answers what came over HTTP/2. Fails where the answer can't be written. */
  toStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void>
  /** Answers a call over HTTP/1.1. Fails as an endpoint does. */
  toExchange(method: RpcMethod, exchange: Exchange): Promise<void>
}

/** After an answer: for the rest of a request that was not read, in milliseconds. */
const LINGER_MS = 30_000
const LAST_MS = 1_000

/** `draining` says that the gateway stops. */
export function createAnswers(
  methods: ReadonlyMap<string, RpcMethod>,
  { ids, counts, limits = {} }: AnswerDeps,
  draining: AbortSignal,
): Answers {
  const recorders = new Map([...methods].map(([path, method]) => [method, requestRecorder('POST', path)]))
  const { requestMs: senderMs = REQUEST_MS, readerMs = READER_MS } = limits

  /** The answer to a call, by Connect. */
  async function handle(method: RpcMethod, exchange: Inbound, incoming: Incoming) {
    const call = new RpcCall(exchange)
    const { requestBytes, handler, isMeasured } = method
    const span = isMeasured ? beginCallTrace(exchange, handler.method) : undefined
    const { to } = incoming
    if (span) to.once('close', () => endCallTrace(span, exchange, call.failure, to.writableFinished))
    const codec = contentTypeOf(exchange)
    const raw = requestBody(incoming.source, call, { bytes: requestBytes, senderMs })
    const isJson = codec.endsWith('json') && requestBytes !== undefined
    const started = performance.now()
    const response = await handler({
      httpVersion: incoming.httpVersion,
      method: 'POST',
      url: `http://gateway${handler.requestPath}`,
      header: webHeaders(incoming.headers),
      body: isJson ? jsonBody(raw, codec !== 'application/json') : raw,
      signal: incoming.signal,
      contextValues: createContextValues().set(rpcCallKey, call).set(drainingKey, draining),
    })
    const count = () => {
      const status = call.failure === undefined ? response.status : problemOf(call.failure, '').status
      const ms = performance.now() - started
      if (isMeasured && exchange.mode !== 'test') counts.add(status, exchange.isTimed ? ms - call.bodyMs : undefined)
      return status
    }
    return { response, count }
  }

  async function toStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const path = (headers[':path'] as string | undefined)?.split('?', 1)[0] ?? ''
    const method = methods.get(path)
    if (method === undefined || headers[':method'] !== 'POST') {
      recordUnknown(method === undefined ? 404 : 405, 0)
      return refuse(stream, path, method !== undefined, draining)
    }
    const exchange = new StreamExchange(stream, headers, requestIdOf({ headers }, ids))
    const leaving = new AbortController()
    stream.once('close', () => leaving.abort(callerGone()))
    const incoming = { source: stream, to: stream, headers, httpVersion: '2.0', signal: leaving.signal }
    const started = performance.now()
    let answered: number | undefined
    try {
      const { response, count } = await handle(method, exchange, incoming)
      if (stream.destroyed) return
      await writeAnswer(stream, response, { headers: exchange.answerHeaders, readerMs })
      answered = count()
    } finally {
      recorders.get(method)?.(answered ?? 0, performance.now() - started, exchange.trace)
    }
    stream.end()
    discardRest(stream, draining)
  }

  async function toExchange(method: RpcMethod, exchange: Exchange): Promise<void> {
    const { req, res } = exchange
    if (/^application\/grpc(?!-web)/.test(contentTypeOf(exchange))) {
      throw fail('unsupported_media_type', 'gRPC needs HTTP/2. Over HTTP/1.1, use gRPC-Web or Connect.')
    }
    const isUnary = method.handler.method.methodKind === 'unary'
    if (!isUnary) exchange.allowsSlowBody = true
    const leaving = new AbortController()
    res.once('close', () => leaving.abort(callerGone()))
    const incoming = { source: req, to: res, headers: req.headers, httpVersion: '1.1', signal: leaving.signal }
    const { response, count } = await handle(method, exchange, incoming)
    const { status, header, body } = response
    const headers = [...(header ?? [])].flatMap(([name, value]) => (name === 'content-length' ? [] : [name, value]))
    if (isUnary || !body) {
      const chunks: Uint8Array[] = []
      if (body instanceof Uint8Array) chunks.push(body)
      else if (body) for await (const chunk of body) chunks.push(chunk)
      exchange.callStatus = count()
      return exchange.send(status, headers, Buffer.concat(chunks))
    }
    exchange.begin(status, headers)
    await writeBody(res, body as AsyncIterable<Uint8Array>, { readerMs, cut: () => exchange.cut() })
    exchange.callStatus = count()
    exchange.finish()
  }

  return { toStream, toExchange }
}

/** But for its end. `headers`: those that every answer to the call has. */
async function writeAnswer(
  stream: ServerHttp2Stream,
  { status, header, body, trailer }: UniversalServerResponse,
  { headers, readerMs }: { readonly headers: StreamExchange['answerHeaders']; readonly readerMs: number },
): Promise<void> {
  stream.on('wantTrailers', () => stream.sendTrailers(Object.fromEntries(grpcTrailer(trailer) ?? [])))
  stream.respond(
    { ':status': status, ...Object.fromEntries(header ?? []), ...headers },
    { waitForTrailers: trailer !== undefined },
  )
  if (body instanceof Uint8Array) stream.write(body)
  else if (body) await writeBody(stream, body, { readerMs, cut: () => stream.close(constants.NGHTTP2_CANCEL) })
}

interface Incoming {
  readonly source: Readable
  /** What the answer is written to. */
  readonly to: Writable
  readonly headers: IncomingHttpHeaders
  readonly httpVersion: string
  readonly signal: AbortSignal
}

const contentTypeOf = (exchange: Inbound): string =>
  (exchange.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

function webHeaders(headers: IncomingHttpHeaders): Headers {
  const lines = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || value === undefined) continue
    lines.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return lines
}

/**
 * Clients of all three protocols take 404 for `unimplemented`. What is no path of a method is REST or a page, which this
 * server answers over HTTP/1.1: a client is told to use that (RFC 9113, section 7).
 */
function refuse(stream: ServerHttp2Stream, path: string, isMethod: boolean, draining: AbortSignal): void {
  if (isMethod) stream.respond({ ':status': 405, allow: 'POST' }, { endStream: true })
  else if (/^\/\w+(\.\w+)+\/\w+$/.test(path)) stream.respond({ ':status': 404 }, { endStream: true })
  else stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED)
  discardRest(stream, draining)
}

/** A caller that is answered before all of its request was read may wait to send the rest; a server that stops does not. */
function discardRest(stream: ServerHttp2Stream, draining: AbortSignal): void {
  if (stream.readableEnded || stream.closed) return
  stream.resume()
  const end = () => stream.close(constants.NGHTTP2_NO_ERROR)
  const timer = setTimeout(end, draining.aborted ? LAST_MS : LINGER_MS)
  draining.addEventListener('abort', end)
  stream.once('close', () => {
    clearTimeout(timer)
    draining.removeEventListener('abort', end)
  })
}

const callerGone = () => new ConnectError('the caller has left', Code.Canceled)
