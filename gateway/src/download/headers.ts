/** Headers of a download. */
import type { SlicedFile } from './content.ts'

/** The strong entity tag of a content (RFC 9110, section 8.8.3): the same bytes have the same, and no others. */
export const contentTag = ({ sha256 }: SlicedFile) => `"${sha256}"`

/** Headers of every answer with a content, and of 304; names and values by turns. */
export function contentHeaders(file: SlicedFile): string[] {
  return ['ETag', contentTag(file), 'Accept-Ranges', 'bytes', 'Cache-Control', 'private, no-cache', ...harmless]
}

/**
 * Headers that describe the bytes. The media type is the sender's word: with the others a browser saves the bytes and
 * never shows them, whatever they say that they are.
 */
export function describingHeaders(file: SlicedFile): string[] {
  return [
    'Content-Type',
    mediaTypePattern.test(file.mediaType) ? file.mediaType : 'application/octet-stream',
    'Content-Disposition',
    attachment(file.filename),
    'Repr-Digest',
    `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
  ]
}

/** A browser neither guesses what it is nor runs it. */
export const harmless = ['X-Content-Type-Options', 'nosniff', 'Content-Security-Policy', "default-src 'none'; sandbox"]

/** RFC 9110, section 8.3.1, in ASCII; parameters may be empty. */
const mediaTypePattern =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;(?:[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[ !#-[\]-~]|\\[ -~])*"))?)*$/

/** RFC 6266: the name in ASCII, and as RFC 8187 encodes it where it has other characters. */
export function attachment(filename: string): string {
  const name = filename.toWellFormed().replace(unsafe, '_')
  if (name === '') return 'attachment'
  const ascii = name.replace(/[^ -~]|["%]/gu, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"${ascii === name ? '' : `; filename*=UTF-8''${encoded}`}`
}

/** What would name a folder, end the header, or turn the reading of the name around. */
const unsafe = /[\p{Cc}/\\\u2028-\u202e\u2066-\u2069]/gu
