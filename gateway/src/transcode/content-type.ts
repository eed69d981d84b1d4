/** What a body must say of itself. */
import { MIMEType } from 'node:util'
import { fail } from '@millhand/api'
import type { Exchange } from '../exchange.ts'

/** Fails with `unsupported_media_type` where the body is encoded: none is decoded. */
export function requirePlain({ head: { headers } }: Exchange) {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && !/^(?:[ \t,]|identity)*$/i.test(encoding)) {
    throw fail('unsupported_media_type', 'Request bodies are read as they are: leave `Content-Encoding` out.')
  }
}

/**
 * Fails with `unsupported_media_type` unless the body, if one comes, is plain `application/json`. Its parameters mean nothing: JSON is in
 * UTF-8 (RFC 8259, sections 8.1 and 11), and the bytes are looked at.
 */
export function requireJson(exchange: Exchange) {
  requirePlain(exchange)
  const { headers } = exchange.head
  const type = headers['content-type']
  if (type === 'application/json') return
  if (type === undefined) {
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (hasBody) throw fail('unsupported_media_type', 'The body has no `Content-Type`; `application/json` is expected.')
  } else if (mediaTypeOf(type) !== 'application/json') {
    throw fail('unsupported_media_type', '`Content-Type` must be `application/json`.')
  }
}

/** The media type of a `Content-Type` in lower case, without its parameters. Undefined for what is none. */
export function mediaTypeOf(contentType: string): string | undefined {
  try {
    return new MIMEType(contentType).essence
  } catch {
    return undefined
  }
}
