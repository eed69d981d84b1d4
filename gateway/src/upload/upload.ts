/** A client-streaming method as an upload: the body is its bytes, and nothing holds more than some of them. */
import { createHash, type Hash } from 'node:crypto'
import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { fail, jsonWriter, type RouteOf } from '@millhand/api'
import { operationKey, type Principal } from '@millhand/rpc'
import { type AdmitDeps, createAdmit } from '../admission/admit.ts'
import type { Endpoint } from '../dispatch.ts'
import type { Exchange } from '../exchange.ts'
import { fingerprintOf } from '../idempotency/fingerprint.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { idempotencyKeyOf } from '../idempotency/key.ts'
import { Unread } from '../idempotency/operation.ts'
import type { Done } from '../idempotency/stored-reply.ts'
import { type Reply, sendBody } from '../reply.ts'
import { callValues } from '../transcode/call.ts'
import { locationOf } from '../transcode/location.ts'
import { requirePlain } from '../transcode/media-type.ts'
import { parseQuery } from '../transcode/query.ts'
import { tooLarge } from '../transcode/read-body.ts'
import { createServiceTime, type ServiceTime } from '../transcode/service-time.ts'
import { Body } from './body.ts'
import { type Description, descriptionReader, type Pairs } from './description.ts'
import { FILE_PART, readForm } from './form.ts'

export interface UploadDeps extends AdmitDeps {
  readonly transport: Transport
  readonly idempotency: Idempotency
  /** The most bytes that are taken. */
  readonly uploadBytes: number
}

export function upload(route: RouteOf<'upload'>, deps: UploadDeps): Endpoint['handle'] {
  const { desc: method, parts, answer } = route
  const { transport, idempotency, uploadBytes } = deps
  const admit = createAdmit(route, deps)
  const describe = descriptionReader(parts.head.message)
  const write = jsonWriter(method.output)
  const location = answer.location === '' ? undefined : locationOf(answer.location, method.output)
  const part = (field: { localName: string }, value: Description | Buffer) => ({
    [parts.oneof]: { case: field.localName, value },
  })

  async function* raw(pairs: Pairs, mediaType: string | undefined, body: Body): AsyncGenerator<Part> {
    yield part(parts.head, describe(pairs, { media_type: mediaType }))
    for await (const bytes of body) yield part(parts.data, bytes)
  }

  async function* form(pairs: Pairs, contentType: string, body: Body): AsyncGenerator<Part> {
    const fields = [...pairs]
    let isDescribed = false
    for await (const piece of readForm(contentType, body)) {
      switch (piece.kind) {
        case 'field':
          if (isDescribed) throw late(piece.name)
          fields.push([piece.name, piece.value])
          break
        case 'file':
          isDescribed = true
          yield part(parts.head, describe(fields, { filename: piece.filename, media_type: piece.mediaType }))
          break
        case 'data':
          yield part(parts.data, piece.bytes)
      }
    }
    if (!isDescribed) throw noFile()
  }

  /** The parts as they come, each also told to `digest`; no more than may come. Fails with `Unread`. */
  async function* partsOf(exchange: Exchange, pairs: Pairs, body: Body, digest?: Hash): AsyncGenerator<Part> {
    const contentType = exchange.header('content-type')
    let left = uploadBytes
    try {
      const source = isForm(contentType) ? form(pairs, contentType, body) : raw(pairs, contentType, body)
      for await (const each of source) {
        const { value } = each[parts.oneof] as { readonly value: Description | Buffer }
        if (Buffer.isBuffer(value)) {
          left -= value.length
          if (left < 0) throw tooLarge(uploadBytes)
          digest?.update(value)
        } else digest?.update(lengthThenBytes(toBinary(parts.head.message, value)))
        yield each
      }
    } catch (cause) {
      throw new Unread('an upload can not be read', { cause })
    }
  }

  /** What the service takes, in its own time; what can't be read to its end is none of it. */
  async function* paced(first: Part, others: AsyncIterable<Part>, serviceTime: ServiceTime, ending: AbortController) {
    serviceTime.start()
    try {
      yield first
      serviceTime.stop()
      for await (const each of others) {
        serviceTime.start()
        yield each
        serviceTime.stop()
      }
    } catch (error) {
      // The service sees a call that is cancelled, and never one that has come to its end.
      ending.abort(error)
      throw error
    }
    serviceTime.start()
  }

  /** Sends the body on; `operation` is what that is part of. Fails with `Unread`, or as the service does. */
  async function send(exchange: Exchange, caller: Principal, pairs: Pairs, operation?: string): Promise<Done> {
    const body = new Body(exchange)
    const digest = createHash('sha256')
    const ending = new AbortController()
    const serviceTime = createServiceTime(ending)
    try {
      const source = partsOf(exchange, pairs, body, operation === undefined ? undefined : digest)
      const first = await source.next()
      if (first.done) throw new Error('an upload has no description')
      const requests = paced(first.value, source, serviceTime, ending)
      const values = callValues(caller, exchange).set(operationKey, operation)
      const response = await transport.stream(method, ending.signal, undefined, undefined, requests, values)
      return { reply: replyWith(await only(response.message)), bodySha256: digest.digest() }
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : error
    } finally {
      serviceTime.stop()
      void body.return()
    }
  }

  function replyWith(made: MessageShape<DescMessage>): Reply {
    const headers = ['Content-Type', 'application/json', ...(location ? ['Location', location(made)] : [])]
    return { kind: 'body', status: answer.status, headers, body: write(made) }
  }

  /** The digest of a body that is not sent on. Fails with `Unread`. */
  async function digestOf(exchange: Exchange, pairs: Pairs): Promise<Buffer> {
    const body = new Body(exchange)
    const digest = createHash('sha256')
    try {
      for await (const _ of partsOf(exchange, pairs, body, digest));
      return digest.digest()
    } finally {
      void body.return()
    }
  }

  async function once(exchange: Exchange, caller: Principal, pairs: Pairs, key: string): Promise<Reply> {
    const contentType = exchange.header('content-type') ?? ''
    // Each try of a form may have another boundary.
    const fingerprint = fingerprintOf(exchange, isForm(contentType) ? 'multipart/form-data' : contentType)
    const begun = await idempotency.begin(exchange, caller, { key, fingerprint, isSecret: answer.secret })
    if (begun.kind === 'answered') return await begun.replay(await digestOf(exchange, pairs))
    const { operation } = begun
    return await operation.settle(() => send(exchange, caller, pairs, operation.id))
  }

  return async (exchange, _params, query) => {
    const caller = await admit(exchange)
    const key = route.method === 'POST' ? idempotencyKeyOf(exchange) : undefined
    requirePlain(exchange)
    requireLength(exchange)
    const most = isForm(exchange.header('content-type')) ? uploadBytes + FORM_BYTES : uploadBytes
    if (Number(exchange.header('content-length')) > most) throw tooLarge(uploadBytes)
    const pairs = parseQuery(query)
    try {
      const reply = key ? await once(exchange, caller, pairs, key) : (await send(exchange, caller, pairs)).reply
      if (reply.kind === 'body') sendBody(exchange, reply)
    } catch (error) {
      throw error instanceof Unread ? error.cause : error
    }
  }
}

type Part = Readonly<Record<string, unknown>>

/** Narrows to a text where it holds. */
const isForm = (contentType: string | undefined): contentType is string =>
  contentType !== undefined && formType.test(contentType)

const formType = /^multipart\/form-data\s*(?:;|$)/i

/** What a form may have beside the bytes of its file. */
const FORM_BYTES = 262_144

/** So that no bytes of a file look like a part of its description. */
const lengthThenBytes = (bytes: Uint8Array) => Buffer.concat([Buffer.from(`${bytes.length} `), bytes])

function late(name: string) {
  const detail = `The fields of a form come before its part \`${FILE_PART}\`, which is sent on as it comes.`
  return fail('invalid_parameter', detail, { param: name.slice(0, 64) })
}

const noFile = () =>
  fail(
    'missing_parameter',
    `The form has no part \`${FILE_PART}\` whose headers can be read: parts with others are left out.`,
    { param: FILE_PART },
  )

/** Without a length, the body of HTTP/1.0 would be read as none at all. */
function requireLength({ req: { httpVersionMinor, headers } }: Exchange) {
  if (httpVersionMinor > 0 || headers['content-length'] !== undefined) return
  throw fail('missing_parameter', 'An upload over HTTP/1.0 needs a `Content-Length`.', { param: 'Content-Length' })
}

async function only<Message>(messages: AsyncIterable<Message>): Promise<Message> {
  let found: Message | undefined
  for await (const message of messages) found = message
  if (found === undefined) throw new Error('an upload was answered with nothing')
  return found
}
