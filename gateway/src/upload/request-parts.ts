/** The body of an upload as the parts of its method's request. */
import type { Hash } from 'node:crypto'
import { toBinary } from '@bufbuild/protobuf'
import { fail, type RouteOf } from '@millhand/api'
import type { Exchange } from '../exchange.ts'
import { UnreadableBody } from '../idempotency/operation.ts'
import { mediaTypeOf } from '../transcode/content-type.ts'
import { tooLarge } from '../transcode/read-body.ts'
import type { Body } from './body.ts'
import { type Description, descriptionReader, type Pairs } from './description.ts'
import { FILE_PART, readForm } from './multipart.ts'

/** The parts as they come; `digest` is updated with each. Fails with `UnreadableBody`, also where the file is too large. */
export type PartsReader = (exchange: Exchange, pairs: Pairs, body: Body, digest?: Hash) => AsyncGenerator<Part>

export function createPartsReader({ parts }: RouteOf<'upload'>, uploadBytes: number): PartsReader {
  const describe = descriptionReader(parts.head.message)
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

  return async function* partsOf(exchange, pairs, body, digest) {
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
      throw new UnreadableBody('an upload can not be read', { cause })
    }
  }
}

type Part = Readonly<Record<string, unknown>>

/** Whether the body is `multipart/form-data`. */
export const isForm = (contentType: string | undefined): contentType is string =>
  contentType !== undefined && mediaTypeOf(contentType) === 'multipart/form-data'

/** So that no bytes of a file look like a part of its description. */
const lengthThenBytes = (bytes: Uint8Array) => Buffer.concat([Buffer.from(`${bytes.length} `), bytes])

function late(name: string) {
  const detail = `The fields of a form come before its part \`${FILE_PART}\`, which is sent on as it comes.`
  return fail('invalid_parameter', detail, { param: name.slice(0, 64) })
}

const noFile = () => fail('missing_parameter', `The form has no part \`${FILE_PART}\`.`, { param: FILE_PART })
