/** Values that only holders of the secret can have made. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

export interface Seal {
  /** The value, which is JSON, as `base64url(JSON).base64url(HMAC-SHA-256)`. */
  seal(value: unknown): string
  /** The value of a text that `seal` made; undefined for every other text. */
  open(sealed: string): unknown
}

/**
 * Each purpose has a key of its own, derived from the secret (HKDF, RFC 5869): what was sealed for one opens for no
 * other. `secret` is at least 32 bytes, and the same for all processes of a deployment.
 */
export function createSeal(secret: Uint8Array, purpose: 'service token' | 'principal'): Seal {
  if (secret.length < 32) throw new RangeError(`the secret of a ${purpose} has at least 32 bytes`)
  const key = Buffer.from(hkdfSync('sha256', secret, '', `millhand ${purpose} v1`, 32))
  const tagOf = (body: string) => createHmac('sha256', key).update(body).digest()

  return {
    seal(value) {
      const body = Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${body}.${tagOf(body).toString('base64url')}`
    },
    open(sealed) {
      const dot = sealed.indexOf('.')
      const body = sealed.slice(0, dot)
      const tag = Buffer.from(sealed.slice(dot + 1), 'base64url')
      // Buffer skips what is not base64url, so only a tag that comes back the same was one of ours.
      if (dot < 0 || tag.length !== TAG_BYTES || tag.toString('base64url') !== sealed.slice(dot + 1)) return undefined
      return timingSafeEqual(tag, tagOf(body)) ? JSON.parse(Buffer.from(body, 'base64url').toString()) : undefined
    },
  }
}

/** HMAC-SHA-256, whole. */
const TAG_BYTES = 32
