/** The parts of a form: `multipart/form-data` (RFC 7578). */
import { MIMEType } from 'node:util'
import type { Dicer } from '@fastify/busboy'
import { fail } from '@millhand/api'
import { broken } from './broken-form.ts'
import { decode, type PartHead, partHead, type RawHeaders } from './part-head.ts'

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
  const boundary = boundaryOf(contentType)
  const { Dicer } = await import('@fastify/busboy')
  const parser = new Dicer({ boundary, ...headLimits })
  const reading = readParts(parser, boundary)
  try {
    for await (const chunk of body) {
      // What comes behind the last part is none of the form.
      if (parser.writable) parser.write(chunk)
      yield* reading.taken()
    }
    if (parser.writable) parser.end()
    await reading.ended
    yield* reading.taken()
  } finally {
    parser.destroy()
  }
}

/** Its parameters mean nothing but this one. */
function boundaryOf(contentType: string): string {
  const boundary = new MIMEType(contentType).params.get('boundary')
  if (!boundary) throw broken('`Content-Type` names no `boundary`')
  if (Buffer.byteLength(boundary) > MOST_BOUNDARY_BYTES)
    throw broken(`the boundary is longer than ${MOST_BOUNDARY_BYTES} bytes`)
  return boundary
}

/** The parser looks for at most 256 bytes, with CR LF and two dashes. RFC 2046 has 70. */
const MOST_BOUNDARY_BYTES = 252

interface Reading {
  /** What has come since the last call. Fails where the form is broken. */
  taken(): FormPart[]
  readonly ended: Promise<void>
}

function readParts(parser: Dicer, boundary: string): Reading {
  const ended = Promise.withResolvers<void>()
  const counts = { fields: 0, files: 0 }
  let pieces: FormPart[] = []
  let failure: unknown
  const refuse = (error: unknown) => {
    failure ??= error
    ended.resolve()
  }
  let isBegun = false
  parser
    .on('part', part => {
      isBegun = true
      let take: Take | undefined
      part
        .on('header', headers => {
          try {
            const head = partHead(headers as RawHeaders)
            take = takerOf(head, counts, piece => pieces.push(piece))
          } catch (error) {
            refuse(error)
          }
        })
        .on('error', () => {})
      // The bytes are taken as the parser finds them: a stream gives them later, and those of the next part may come first.
      part.push = (bytes: Buffer | null) => {
        try {
          if (failure === undefined && take === undefined) throw broken('a part has no empty line behind its headers')
          if (failure === undefined) take?.(bytes)
        } catch (error) {
          refuse(error)
        }
        if (bytes === null) part.emit('end')
        return true
      }
    })
    .on('error', () => {
      const line = `--${boundary.slice(0, 70)}`
      const why = isBegun
        ? `it ends without the line \`${line}--\`: it is cut off, or its lines do not end with CR LF`
        : `it has no line \`${line}\`; lines end with CR LF`
      refuse(broken(why))
    })
    .on('finish', () => ended.resolve())
  return {
    taken() {
      if (failure !== undefined) throw failure
      const taken = pieces
      pieces = []
      return taken
    },
    ended: ended.promise,
  }
}

/** Takes the bytes of a part; null at its end. */
type Take = (bytes: Buffer | null) => void

function takerOf(head: PartHead, counts: { fields: number; files: number }, give: (piece: FormPart) => void): Take {
  const { name, filename, mediaType } = head
  if (name !== FILE_PART && filename === undefined) {
    if (++counts.fields > MOST_FIELDS) throw tooMuch(`it has more than ${MOST_FIELDS} fields`)
    return fieldTaker(head, value => give({ kind: 'field', name, value }))
  }
  if (name !== FILE_PART) {
    const detail = `A form's file is its part \`${FILE_PART}\`; no other part has a filename.`
    throw fail('unknown_parameter', detail, { param: name.slice(0, 64) })
  }
  if (++counts.files > 1) throw tooMuch('it has more than one file')
  give({ kind: 'file', filename: filename || undefined, mediaType })
  return bytes => {
    if (bytes !== null) give({ kind: 'data', bytes })
  }
}

function fieldTaker({ name, charset }: PartHead, give: (value: string) => void): Take {
  const shown = `the field \`${name.slice(0, 64)}\``
  const parts: Buffer[] = []
  let size = 0
  return bytes => {
    if (bytes === null) {
      const value = decode(Buffer.concat(parts), charset)
      if (value !== undefined) return give(value)
      const set = charset.slice(0, 40)
      const isKnown = decode(Buffer.alloc(0), charset) !== undefined
      throw broken(isKnown ? `${shown} is not valid ${set}` : `${shown} has the unknown character set ${set}`)
    }
    size += bytes.length
    if (size > MOST_FIELD_BYTES) throw tooMuch(`${shown} is longer than ${MOST_FIELD_BYTES} bytes`)
    parts.push(bytes)
  }
}

/** A description has 4 fields and 16 labels; a label's 512 characters have at most 2,048 bytes. */
const MOST_FIELDS = 32
const MOST_FIELD_BYTES = 4_096
const headLimits = { maxHeaderPairs: 16, maxHeaderSize: 16_384 }

const tooMuch = (why: string) => fail('invalid_parameter', `The form holds too much: ${why}.`)
