import { createHmac, timingSafeEqual } from 'node:crypto'
import { fail } from './errors.ts'

/** Seals where a list stopped, so that callers can hand it back but not make one up or use it elsewhere. */
export interface Cursors {
  /** `position` is any JSON value. `boundTo` names what the list was of: account, filters, order. */
  seal(position: unknown, boundTo: string): string
  /** The position of a cursor that `seal` made with the same `boundTo`; else fails with `invalid_cursor`. */
  open(cursor: string, boundTo: string): unknown
}

/** `secret` is at least 32 bytes, and the same for all replicas. */
export function createCursors(secret: Uint8Array): Cursors {
  if (secret.length < 32) throw new RangeError('the secret of cursors has at least 32 bytes')

  const tagOf = (position: Uint8Array, boundTo: string) =>
    createHmac('sha256', secret)
      .update(`millhand cursor\0${position.length}\0`)
      .update(position)
      .update(boundTo)
      .digest()
      .subarray(0, tagBytes)

  return {
    seal(position, boundTo) {
      const bytes = Buffer.from(JSON.stringify(position))
      return Buffer.concat([tagOf(bytes, boundTo), bytes]).toString('base64url')
    },
    open(cursor, boundTo) {
      const bytes = Buffer.from(cursor, 'base64url')
      const position = bytes.subarray(tagBytes)
      // Buffer skips what is not base64url, so only a text that comes back the same was one of ours.
      const ours =
        bytes.length > tagBytes &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(bytes.subarray(0, tagBytes), tagOf(position, boundTo))
      if (!ours) {
        throw fail('invalid_cursor', '`cursor` is not one that this list gave for these filters and this order.', {
          param: 'cursor',
        })
      }
      return JSON.parse(position.toString())
    },
  }
}

/** 128 bits of HMAC-SHA-256 (RFC 2104, section 5, on truncation). */
const tagBytes = 16
