import { createHmac, timingSafeEqual } from 'node:crypto'

/** Values as texts that their holders can hand back, but not make up, change, or use elsewhere. They can read them. */
export interface Seals {
  /** `value` is any JSON value. `boundTo` names where the text counts. */
  seal(value: unknown, boundTo: string): string
  /** The value of a text that `seal` made with the same `boundTo`; undefined for any other text. */
  open(text: string, boundTo: string): unknown
}

/**
 * Seals of one purpose: those of another are never taken for them. `secret` is at least 32 bytes, and the same for all
 * replicas.
 */
export function createSeals(secret: Uint8Array, purpose: string): Seals {
  if (secret.length < 32) throw new RangeError('the secret of seals has at least 32 bytes')

  const tagOf = (value: Uint8Array, boundTo: string) =>
    createHmac('sha256', secret)
      .update(`millhand ${purpose}\0${value.length}\0`)
      .update(value)
      .update(boundTo)
      .digest()
      .subarray(0, tagBytes)

  return {
    seal(value, boundTo) {
      const bytes = Buffer.from(JSON.stringify(value))
      return Buffer.concat([tagOf(bytes, boundTo), bytes]).toString('base64url')
    },
    open(text, boundTo) {
      const bytes = Buffer.from(text, 'base64url')
      const value = bytes.subarray(tagBytes)
      // Buffer skips what is not base64url, so only a text that comes back the same was one of ours.
      const isOurs =
        bytes.length > tagBytes &&
        bytes.toString('base64url') === text &&
        timingSafeEqual(bytes.subarray(0, tagBytes), tagOf(value, boundTo))
      return isOurs ? JSON.parse(value.toString()) : undefined
    },
  }
}

/** 128 bits of HMAC-SHA-256 (RFC 2104, section 5, on truncation). */
const tagBytes = 16
