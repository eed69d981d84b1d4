/** Uploads: the body goes to a client-streaming method as it comes, and is never whole in memory. */
import { createHash } from 'node:crypto'
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { fail, jsonWriter, type RouteOf } from '@millhand/api'
import { operationKey } from '@millhand/rpc'
import type { Exchange } from '../exchange.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { fingerprintOf, idempotencyKeyOf } from '../idempotency/idempotency-key.ts'
import { UnreadableBody } from '../idempotency/operation.ts'
import type { Outcome } from '../idempotency/replay.ts'
import { callValues } from '../pipeline/call.ts'
import type { RequestContext, Responder } from '../pipeline/context.ts'
import { createIdempotent } from '../pipeline/keyed-request.ts'
import { problemOfFailure } from '../problem.ts'
import { type BodyReply, sendBody } from '../reply.ts'
import { requirePlain } from '../transcode/content-type.ts'
import { locationOf } from '../transcode/location.ts'
import { tooLarge } from '../transcode/read-body.ts'
import { createServiceTimeout, type ServiceTimeout } from '../transcode/service-timeout.ts'
import { Body } from './body.ts'
import { createPartsReader, isForm } from './request-parts.ts'

export interface UploadDeps {
  readonly transport: Transport
  readonly idempotency: Idempotency
  /** The most bytes of a file. */
  readonly uploadBytes: number
}

export function uploadResponder(route: RouteOf<'upload'>, deps: UploadDeps): Responder {
  const { desc: method, answer } = route
  const { transport, idempotency, uploadBytes } = deps
  const idempotent = createIdempotent<RequestContext>(idempotency, { perform, digestBody, failureOf: problemOfFailure })
  const partsOf = createPartsReader(route, uploadBytes)
  const write = jsonWriter(method.output)
  const location = answer.location === '' ? undefined : locationOf(answer.location, method.output)

  /** Sends the body to the service; `operation` is the id of a keyed operation. Fails with `UnreadableBody`, or as the service does. */
  async function perform({ exchange, caller, pairs }: RequestContext, operation?: string): Promise<Outcome> {
    const body = new Body(exchange)
    const digest = createHash('sha256')
    const ending = new AbortController()
    const serviceTimeout = createServiceTimeout(ending)
    try {
      const source = partsOf(exchange, pairs, body, operation === undefined ? undefined : digest)
      const first = await source.next()
      if (first.done) throw new Error('an upload has no description')
      const requests = paced(first.value, source, serviceTimeout, ending)
      const values = callValues(caller, exchange).set(operationKey, operation)
      const response = await transport.stream(method, ending.signal, undefined, undefined, requests, values)
      return { reply: replyWith(await only(response.message)), bodySha256: digest.digest() }
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : error
    } finally {
      serviceTimeout.stop()
      void body.return()
    }
  }

  function replyWith(result: MessageShape<DescMessage>): BodyReply {
    const headers = ['Content-Type', 'application/json', ...(location ? ['Location', location(result)] : [])]
    return { kind: 'body', status: answer.status, headers, body: write(result) }
  }

  /** The SHA-256 of a body that is not sent to the service. Fails with `UnreadableBody`. */
  async function digestBody({ exchange, pairs }: RequestContext): Promise<Buffer> {
    const body = new Body(exchange)
    const digest = createHash('sha256')
    try {
      for await (const _ of partsOf(exchange, pairs, body, digest));
      return digest.digest()
    } finally {
      void body.return()
    }
  }

  /** Fails with 400, 413 and 415. */
  function parse(context: RequestContext): void {
    const { exchange } = context
    const key = route.method === 'POST' ? idempotencyKeyOf(exchange) : undefined
    requirePlain(exchange)
    requireLength(exchange)
    const contentType = exchange.header('content-type') ?? ''
    const limit = isForm(contentType) ? uploadBytes + FORM_BYTES : uploadBytes
    if (Number(exchange.header('content-length')) > limit) throw tooLarge(uploadBytes)
    void context.pairs // A query that can't be decoded is refused before anything is read.
    if (key === undefined) return
    // Each try of a form may have another boundary.
    const fingerprint = fingerprintOf(exchange, isForm(contentType) ? 'multipart/form-data' : contentType)
    context.keyed = { key, fingerprint, isSecret: answer.secret }
  }

  return async context => {
    parse(context)
    try {
      const { keyed } = context
      const reply = keyed === undefined ? (await perform(context)).reply : await idempotent(context, keyed)
      if (reply.kind === 'body') sendBody(context.exchange, reply)
    } catch (error) {
      throw error instanceof UnreadableBody ? error.cause : error
    }
  }
}

/** The parts for the service, with a timeout while it takes each. Ends the call where the body can't be read. */
export async function* paced<Part>(
  first: Part,
  others: AsyncIterable<Part>,
  serviceTimeout: ServiceTimeout,
  ending: AbortController,
) {
  serviceTimeout.start()
  try {
    yield first
    serviceTimeout.stop()
    for await (const each of others) {
      serviceTimeout.start()
      yield each
      serviceTimeout.stop()
    }
  } catch (error) {
    // The service sees a call that is cancelled, and never one that has come to its end.
    ending.abort(error)
    throw error
  }
  serviceTimeout.start()
}

/** What a form may have in addition to the bytes of its file. */
const FORM_BYTES = 262_144

/** Without a length, the body of HTTP/1.0 would be read as none at all. */
function requireLength({ req: { httpVersionMinor, headers } }: Exchange) {
  if (httpVersionMinor > 0 || headers['content-length'] !== undefined) return
  throw fail('missing_parameter', 'An upload over HTTP/1.0 needs a `Content-Length`.', { param: 'Content-Length' })
}

/** The one message of an answer. */
export async function only<Message>(messages: AsyncIterable<Message>): Promise<Message> {
  let found: Message | undefined
  for await (const message of messages) found = message
  if (found === undefined) throw new Error('an upload was answered with nothing')
  return found
}
