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

/** Of what stands before the data, in characters. */
const MOST_HEAD = 1_024

/**
 * Checks all of the base64, and how the bytes begin: data are what their bytes are, whatever media type they are said to have, as files
 * are. Throws `InputInvalid`.
 */
export function checkDataUri(text: string, medium: Medium): void {
  dataOf(text, medium)
}

/** The bytes of a `data:` URI. Throws `InputInvalid`. */
export const readDataUri = (text: string, medium: Medium): Buffer => Buffer.from(dataOf(text, medium), 'base64')

/** Checks a `data:` URI of any media type. Throws `InputInvalid`. */
export function checkBytesUri(text: string): void {
  bytesDataOf(text)
}

/** The bytes of a `data:` URI of any media type; there may be none. Throws `InputInvalid`. */
export const readBytesUri = (text: string): Buffer => Buffer.from(bytesDataOf(text), 'base64')

/** The base64 of a picture or a recording. */
function dataOf(text: string, medium: Medium): string {
  const { mediaType, encoded } = splitDataUri(text, EXPECTED[medium])
  const head = Buffer.from(encoded.slice(0, HEAD_CHARACTERS), 'base64')
  if (kindOf(head, medium)) return encoded
  if (encoded === '') throw new InputInvalid('the data URI has no data behind its comma')
  const isKnown = KINDS[medium].some(({ mediaTypes }) => mediaTypes.includes(mediaType))
  if (isKnown) throw new InputInvalid(`the data is no ${excerpt(mediaType)}: give ${KNOWN[medium]}`)
  throw new InputInvalid(`the media type ${excerpt(mediaType)} is not read here: give ${EXPECTED[medium]}`)
}

const HEAD_CHARACTERS = 64

const bytesDataOf = (text: string): string =>
  splitDataUri(text, 'data:application/octet-stream;base64,… (or any other media type)').encoded

/** Parameters mean nothing here; a quoted one may have a comma in it. */
function splitDataUri(text: string, expected: string): { readonly mediaType: string; readonly encoded: string } {
  const head = /^\s*data:((?:[^,"]|"[^"]*")*),/i.exec(text.slice(0, MOST_HEAD))
  const [mediaType = '', ...parameters] = (head?.[1] ?? '').split(';').map(part => part.trim().toLowerCase())
  if (head === null || !parameters.includes('base64')) {
    throw new InputInvalid(`the input must be a data URI with base64: ${expected}`)
  }
  return { mediaType: mediaType || 'text/plain', encoded: plainBase64(text.slice(head[0].length)) }
}

/**
 * The base64 of a URI without white space, which means nothing, percent-encoding and padding:
 * https://fetch.spec.whatwg.org/#data-url-processor. Also in the alphabet of URLs (RFC 4648, section 5).
 */
function plainBase64(data: string): string {
  const encoded = data.includes('%')
    ? PERCENT_FORMS.reduce((text, form) => text.replaceAll(form, decodeURIComponent(form)), data)
    : data
  const plain = encoded.replaceAll(/[\t\n\f\r ]+/g, '')
  const [, digits = '', padding = ''] = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(plain) ?? []
  if (digits.length + padding.length !== plain.length) {
    const at = plain.search(/[^A-Za-z0-9+/_-]/)
    const sign = String.fromCodePoint(plain.codePointAt(at) as number)
    throw new InputInvalid(
      `the data is not base64: its character ${at + 1}, without white space, is ${JSON.stringify(sign)}`,
    )
  }
  // One character more than whole groups of four holds no byte.
  if (digits.length % 4 === 1) {
    const cause = encoded.includes(' ') ? ', or each + of it became a space: write + as %2B in a form or a URL' : ''
    throw new InputInvalid(
      `the data is not base64: ${plain.length} characters are no whole groups of four; it may be cut off${cause}`,
    )
  }
  if (hasLostPlus(encoded, padding !== '' && plain.length % 4 !== 0)) {
    throw new InputInvalid(
      'the data has spaces where base64 has +: write + as %2B in a form or a URL, or leave the spaces out',
    )
  }
  return digits
}

/** What base64 and its white space may be written as. Strings: a regular expression takes about four times as long. */
const PERCENT_FORMS = ['2b', '2d', '2f', '3d', '5f', '0a', '0d', '09', '20'].flatMap(digits => [
  ...new Set([`%${digits}`, `%${digits.toUpperCase()}`]),
])

/** Whether there is no +, which a form takes for a space, and spaces within lines part them into pieces of several lengths, or padding is uneven. */
function hasLostPlus(encoded: string, isUneven: boolean): boolean {
  if (!encoded.includes(' ') || /[+_-]/.test(encoded)) return false
  let size = 0
  let isOver = false
  for (const line of encoded.replaceAll('\t', ' ').split(/[\n\f\r]/)) {
    const text = line.trim()
    for (let from = 0, end = text.indexOf(' '); end !== -1 && from < text.length; from = end + 1) {
      end = text.indexOf(' ', from)
      const length = (end === -1 ? text.length : end) - from
      if (length === 0) continue
      size ||= length
      // Only the last may be shorter.
      if (isOver || length > size) return true
      isOver = length < size
    }
  }
  return isUneven && size > 0
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
