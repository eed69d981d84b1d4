/** `data:` URIs with base64 (RFC 2397), as pictures, recordings and other bytes come in an input. */
import { excerpt } from './excerpt.ts'
import { InputInvalid } from './tensors.ts'

export type Medium = 'image' | 'audio'

interface Kind {
  readonly mediaTypes: readonly string[]
  /** Whether a file of this kind can begin so; it gets at least 12 bytes. */
  begins(head: Buffer): boolean
}

const ascii = (head: Buffer, from: number, to: number) => head.toString('latin1', from, to)

const KINDS: Readonly<Record<Medium, readonly Kind[]>> = {
  image: [
    { mediaTypes: ['image/png'], begins: head => ascii(head, 0, 8) === '\x89PNG\r\n\x1a\n' },
    { mediaTypes: ['image/jpeg', 'image/jpg'], begins: head => ascii(head, 0, 3) === '\xff\xd8\xff' },
    { mediaTypes: ['image/webp'], begins: head => ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP' },
    { mediaTypes: ['image/gif'], begins: head => /^GIF8[79]a/.test(ascii(head, 0, 6)) },
    { mediaTypes: ['image/tiff'], begins: head => ['II*\0', 'MM\0*'].includes(ascii(head, 0, 4)) },
  ],
  audio: [
    {
      mediaTypes: ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
      begins: head => ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WAVE',
    },
  ],
}

const EXPECTED: Readonly<Record<Medium, string>> = {
  image: 'data:image/png;base64,… (or jpeg, webp, gif, tiff)',
  audio: 'data:audio/wav;base64,…',
}

const WORDS: Readonly<Record<Medium, string>> = { image: 'picture', audio: 'recording' }
const KNOWN: Readonly<Record<Medium, string>> = { image: 'PNG, JPEG, WebP, GIF or TIFF', audio: 'WAV' }

/** 12 bytes, and room for line breaks. */
const HEAD_CHARACTERS = 64

/**
 * Checks the first bytes, and gives where the base64 begins: data are what their bytes are, whatever media type they are said to have, as
 * files are. Throws `InputInvalid`.
 */
export function checkDataUri(text: string, medium: Medium): number {
  const { mediaType, start: from } = splitDataUri(text, EXPECTED[medium])
  const head = Buffer.from(text.slice(from, from + HEAD_CHARACTERS), 'base64')
  if (kindOf(head, medium)) return from
  const isKnown = KINDS[medium].some(({ mediaTypes }) => mediaTypes.includes(mediaType))
  if (isKnown) throw new InputInvalid(`the data is no ${excerpt(mediaType)}`)
  throw new InputInvalid(`the media type ${excerpt(mediaType)} is not read here: give ${EXPECTED[medium]}`)
}

/** The bytes of a `data:` URI. Throws `InputInvalid`. */
export const readDataUri = (text: string, medium: Medium): Buffer => decode(text.slice(checkDataUri(text, medium)))

/** The bytes of a `data:` URI of any media type; there may be none. Throws `InputInvalid`. */
export function readBytesUri(text: string): Buffer {
  const encoded = text.slice(checkBytesUri(text))
  return encoded === '' ? Buffer.alloc(0) : decode(encoded)
}

/** Checks that a text begins as a `data:` URI with base64, and gives where that begins. Throws `InputInvalid`. */
export const checkBytesUri = (text: string): number =>
  splitDataUri(text, 'data:application/octet-stream;base64,… (or any other media type)').start

function splitDataUri(text: string, expected: string): { mediaType: string; start: number } {
  const comma = text.slice(0, 128).indexOf(',')
  const head = /^data:([a-z][a-z0-9.+-]*\/[a-z0-9.+-]+)?(?:;[a-z0-9=_.-]+)*;base64$/i.exec(
    text.slice(0, Math.max(comma, 0)),
  )
  if (!head) throw new InputInvalid(`the input must be a data URI with base64: ${expected}`)
  return { mediaType: (head[1] ?? 'text/plain').toLowerCase(), start: comma + 1 }
}

/** White space means nothing: https://fetch.spec.whatwg.org/#data-url-processor. */
function decode(encoded: string): Buffer {
  const plain = encoded.replaceAll(/[\t\n\f\r ]+/g, '')
  // One character more than whole groups of four holds no byte.
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(plain) && plain.replace(/=+$/, '').length % 4 !== 1
  if (!isBase64) throw new InputInvalid('the data is not base64')
  return Buffer.from(plain, 'base64')
}

/** Checks how a file begins; `head` is its first 12 bytes or more. Throws `InputInvalid`. */
export function checkHead(head: Buffer, medium: Medium): void {
  if (!kindOf(head, medium))
    throw new InputInvalid(`the file is no ${WORDS[medium]} that is read here: give ${KNOWN[medium]}`)
}

/** A file's bytes as a `data:` URI, by how they begin; undefined when they begin like nothing that is read here. */
export function toDataUri(bytes: Buffer, medium: Medium): string | undefined {
  const kind = kindOf(bytes, medium)
  return kind && `data:${kind.mediaTypes[0]};base64,${bytes.toString('base64')}`
}

const kindOf = (bytes: Buffer, medium: Medium): Kind | undefined =>
  bytes.length < 12 ? undefined : KINDS[medium].find(({ begins }) => begins(bytes))
