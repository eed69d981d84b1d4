/**
 * Encryption of stored bodies that show a secret: only the caller's API key and the idempotency key together open one, and
 * only digests of both are stored. AES-256-GCM under a key from HKDF-SHA-256 (RFC 5869).
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export interface SealKeys {
  /** The text of the caller's API key. */
  readonly apiKey: string
  readonly idempotencyKey: string
}

const IV_BYTES = 12
const TAG_BYTES = 16

export function sealBody(body: Uint8Array, keys: SealKeys): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(keys), iv)
  const sealed = [cipher.update(body), cipher.final()]
  return Buffer.concat([iv, ...sealed, cipher.getAuthTag()])
}

/** The body; undefined where it was sealed with other keys. */
export function openBody(sealed: Uint8Array, keys: SealKeys): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(keys), sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const body = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([body, decipher.final()])
  } catch {
    return undefined
  }
}

const keyOf = ({ apiKey, idempotencyKey }: SealKeys) =>
  new Uint8Array(hkdfSync('sha256', apiKey, idempotencyKey, 'millhand idempotent answer', 32))
