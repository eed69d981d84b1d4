/** What the head of a form's part says of it (RFC 7578, section 4). */
import { fail } from '@millhand/api'
import { broken } from './broken-form.ts'
import { type Parameters, parametersOf } from './parameters.ts'

export interface PartHead {
  readonly name: string
  /** Without its folders. Empty where it is said to be; undefined where nothing is said. */
  readonly filename: string | undefined
  /** In lower case, without parameters. */
  readonly mediaType: string
  /** Of a field: the label of its character set. */
  readonly charset: string
}

/** By the names of headers in lower case, each with its values, of which each character is a byte. */
export type RawHeaders = Readonly<Record<string, readonly string[] | undefined>>

/** Fails with `invalid_parameter` for what is no part of a form, or gives its name, its filename or its disposition twice, and with `unsupported_media_type` where it is encoded. */
export function partHead(headers: RawHeaders): PartHead {
  const [disposition, second] = headers['content-disposition'] ?? []
  if (disposition === undefined) throw broken('a part has no `Content-Disposition` among the headers that can be read')
  if (second !== undefined) throw broken('a part has two `Content-Disposition` headers')
  const { value, parameters } = parametersOf(decoded(disposition), '`Content-Disposition`')
  if (value !== 'form-data') throw broken('the `Content-Disposition` of a part is not `form-data`')
  const [encoding = '7bit'] = headers['content-transfer-encoding'] ?? []
  // RFC 7578, section 4.7: senders encode no parts, and readers decode none.
  if (!/^(?:7bit|8bit|binary)$/i.test(encoding.trim())) throw encoded()
  // RFC 7578, section 4.2: the form with `*` is not used.
  const name = parameters.get('name')
  if (name === undefined) throw broken('a part has no name')
  const filename = filenameOf(parameters)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for. Tabs are read.
  if (filename !== undefined && /[\x01-\x08\x0a-\x1f\x7f]/.test(filename))
    throw broken('`filename` has control characters in it')
  const type = headers['content-type']?.[0] ?? ''
  return {
    name,
    filename: filename === undefined ? undefined : withoutFolders(filename),
    mediaType: type.split(';', 1)[0]?.trim().toLowerCase() || 'text/plain',
    charset: /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8',
  }
}

/** The bytes of a header, which are UTF-8; old programs write Windows-1252. */
function decoded(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return decode(bytes, 'utf-8') ?? new TextDecoder('windows-1252').decode(bytes)
}

/** Undefined for what is no text in that character set, and for a set that is not known. */
export function decode(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The form with `*` counts before the other (RFC 6266, section 4.3), unless it is broken. */
function filenameOf(parameters: Parameters): string | undefined {
  const extended = parameters.get('filename*')
  const plain = parameters.get('filename')
  const text = (extended === undefined ? undefined : extendedText(extended)) ?? plain
  if (text === undefined && extended !== undefined)
    throw broken("`filename*` is not written as UTF-8''a%20name (RFC 8187)")
  if (text === undefined && [...parameters.keys()].some(key => key.startsWith('filename*')))
    throw broken("`filename` comes in pieces (RFC 2231), which are not read: give `filename*=UTF-8''…`")
  return text
}

/** RFC 8187, section 3.2. */
function extendedText(value: string): string | undefined {
  const [, charset = '', text = ''] = /^([^']*)'[^']*'((?:[^%]|%[\da-f]{2})+)$/i.exec(value) ?? []
  const bytes = text
    .replace(/[^ -~]/gu, encodeURIComponent)
    .replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return text === '' ? undefined : decode(Buffer.from(bytes, 'latin1'), charset)
}

function withoutFolders(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return name === '.' || name === '..' ? '' : name
}

const encoded = () =>
  fail('unsupported_media_type', 'The parts of a form are read as they are: leave `Content-Transfer-Encoding` out.')
