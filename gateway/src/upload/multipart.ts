/** The parts of a form: `multipart/form-data` (RFC 7578). */
import type { BusboyInstance } from '@fastify/busboy'
import { fail } from '@millhand/api'

/** What a form holds, in the order in which it comes; `data` are the next bytes of the file before. */
export type FormPart =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | { readonly kind: 'file'; readonly filename: string | undefined; readonly mediaType: string }
  | { readonly kind: 'data'; readonly bytes: Buffer }

/** The name of the part whose bytes are the file. */
export const FILE_PART = 'file'

/**
 * Reads a form as it comes: what one chunk of `body` holds is given before the next is read.
 * Fails with `invalid_parameter` for what is no form, or one with more in it than an upload has a use for.
 */
export async function* readForm(contentType: string, body: AsyncIterable<Buffer>): AsyncGenerator<FormPart> {
  const parser = await open(contentType)
  const parts: FormPart[] = []
  let failure: unknown
  const ended = Promise.withResolvers<void>()
  const refuse = (error: unknown) => {
    failure ??= error
    ended.resolve()
  }
  parser
    .on('field', (name: string | undefined, value, _nameIsCut, valueIsCut, encoding) => {
      if (name === undefined) refuse(broken('a part has no name'))
      else if (valueIsCut)
        refuse(tooMuch(`the field \`${name.slice(0, 64)}\` is longer than ${limits.fieldSize} bytes`))
      else if (!isPlain(encoding)) refuse(encoded())
      else parts.push({ kind: 'field', name, value })
    })
    .on('file', (name: string | undefined, stream, filename: string | undefined, encoding, mediaType) => {
      stream.on('data', (bytes: Buffer) => parts.push({ kind: 'data', bytes })).on('error', () => {})
      if (name !== FILE_PART) {
        const detail = `A form's file is its part \`${FILE_PART}\`; no other part has a filename.`
        refuse(fail('unknown_parameter', detail, { param: name?.slice(0, 64) ?? '' }))
      } else if (!isPlain(encoding)) refuse(encoded())
      else parts.push({ kind: 'file', filename: filename || undefined, mediaType })
    })
    .on('filesLimit', () => refuse(tooMuch('it has more than one file')))
    .on('fieldsLimit', () => refuse(tooMuch(`it has more than ${limits.fields} fields`)))
    .on('partsLimit', () => refuse(tooMuch(`it has more than ${limits.parts} parts`)))
    .on('error', () => refuse(broken('it ends in the middle of a part')))
    .on('finish', () => ended.resolve())
  try {
    for await (const chunk of body) {
      const written = new Promise<void>(resolve => parser.write(chunk, () => resolve()))
      // A parser that has found a fault may never say that it has written.
      await Promise.race([written, ended.promise])
      if (failure !== undefined) throw failure
      yield* parts.splice(0)
    }
    parser.end()
    await ended.promise
    if (failure !== undefined) throw failure
    yield* parts.splice(0)
  } finally {
    parser.destroy()
  }
}

/** Its code is loaded with the first form. */
async function open(contentType: string): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy')
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits, isPartAFile })
  } catch {
    throw broken('`Content-Type` names no `boundary`')
  }
}

const isPartAFile = (name: string | undefined, _type: string | undefined, filename: string | undefined) =>
  name === FILE_PART || filename !== undefined

/** A description has 4 fields and 16 labels; a label's 512 characters have at most 2,048 bytes. */
const limits = { files: 1, fields: 32, parts: 33, fieldSize: 4_096, headerPairs: 16, headerSize: 16_384 }

/** RFC 7578, section 4.7: senders encode no parts, and readers decode none. */
const isPlain = (encoding: string) => encoding === '7bit' || encoding === '8bit' || encoding === 'binary'

const broken = (why: string) =>
  fail('invalid_parameter', `The body is not the form that \`Content-Type\` says: ${why}.`)
const tooMuch = (why: string) => fail('invalid_parameter', `The form holds too much: ${why}.`)
const encoded = () =>
  fail('unsupported_media_type', 'The parts of a form are read as they are: leave `Content-Transfer-Encoding` out.')
