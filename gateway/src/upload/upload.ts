/** A client-streaming method as an upload: the body is its bytes, and nothing holds more than some of them. */
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { fail, jsonWriter, type RouteOf } from '@millhand/api'
import { createAdmit } from '../admission/admit.ts'
import type { Authenticate } from '../admission/authenticate.ts'
import type { Endpoint } from '../dispatch.ts'
import type { Exchange } from '../exchange.ts'
import { callValues } from '../transcode/call.ts'
import { locationOf } from '../transcode/location.ts'
import { requirePlain } from '../transcode/media-type.ts'
import { jsonHeaders } from '../transcode/operation.ts'
import { parseQuery } from '../transcode/query.ts'
import { tooLarge } from '../transcode/read-body.ts'
import { createServiceTime, type ServiceTime } from '../transcode/service-time.ts'
import { Body } from './body.ts'
import { type Description, descriptionReader, type Pairs } from './description.ts'
import { FILE_PART, readForm } from './form.ts'

export interface UploadDeps {
  readonly transport: Transport
  readonly authenticate: Authenticate
  /** The most bytes that are taken. */
  readonly uploadBytes: number
}

export function upload(route: RouteOf<'upload'>, deps: UploadDeps): Endpoint['handle'] {
  const { desc: method, parts, answer } = route
  const { transport, authenticate, uploadBytes } = deps
  const admit = createAdmit(route, authenticate)
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

  /** What the service takes, in its own time; more than it may is none of it. */
  async function* paced(first: Part, others: AsyncIterable<Part>, serviceTime: ServiceTime, ending: AbortController) {
    let left = uploadBytes
    serviceTime.start()
    try {
      yield first
      serviceTime.stop()
      for await (const each of others) {
        left -= (each[parts.oneof] as { readonly value: Buffer }).value.length
        if (left < 0) throw tooLarge(uploadBytes)
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

  return async (exchange, _params, query) => {
    const caller = await admit(exchange)
    requirePlain(exchange)
    requireLength(exchange)
    const contentType = exchange.header('content-type')
    const isForm = contentType !== undefined && formType.test(contentType)
    const most = isForm ? uploadBytes + FORM_BYTES : uploadBytes
    if (Number(exchange.header('content-length')) > most) throw tooLarge(uploadBytes)
    const pairs = parseQuery(query)
    const body = new Body(exchange)
    const ending = new AbortController()
    const serviceTime = createServiceTime(ending)
    let made: MessageShape<DescMessage>
    try {
      const source = isForm ? form(pairs, contentType, body) : raw(pairs, contentType, body)
      const first = await source.next()
      if (first.done) throw new Error('an upload has no description')
      const requests = paced(first.value, source, serviceTime, ending)
      const values = callValues(caller, exchange)
      const response = await transport.stream(method, ending.signal, undefined, undefined, requests, values)
      made = await only(response.message)
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : error
    } finally {
      serviceTime.stop()
      void body.return()
    }
    if (location !== undefined) exchange.carry('Location', location(made))
    exchange.send(answer.status, jsonHeaders, write(made))
  }
}

type Part = Readonly<Record<string, unknown>>

const formType = /^multipart\/form-data\s*(?:;|$)/i

/** What a form may have beside the bytes of its file. */
const FORM_BYTES = 262_144

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
