/** What deliveries are signed with: `whsec_…`, shared, or `whsk_…`, of which the customer has the public half `whpk_…`. */
import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/** How deliveries are signed: with a shared secret (`v1`), or with a private key (`v1a`). */
export type Signature = 'v1' | 'v1a'

/** A new one: 32 random bytes, in base64 behind its prefix (Standard Webhooks). */
export const newSecret = (signature: Signature): string =>
  prefixes[signature] + randomBytes(SECRET_BYTES).toString('base64')

/** What its owner verifies signatures with. */
export function shownSecret(secret: string): string {
  if (!secret.startsWith(prefixes.v1a)) return secret
  const { x = '' } = createPublicKey(signingKey(secret)).export({ format: 'jwk' })
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
}

/** As a key to sign with: a private one where it is a `whsk_…`. */
export function signingKey(secret: string): KeyObject {
  const bytes = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
  if (!secret.startsWith(prefixes.v1a)) return createSecretKey(bytes)
  return createPrivateKey({ key: Buffer.concat([PKCS8, bytes]), format: 'der', type: 'pkcs8' })
}

const prefixes = { v1: 'whsec_', v1a: 'whsk_' } as const
const SECRET_BYTES = 32
/** What stands before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
