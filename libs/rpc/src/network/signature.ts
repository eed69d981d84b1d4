/** Values that only the holder of a secret can have made, and whoever has its public key can check (Ed25519). */
import { createPrivateKey, createPublicKey, hkdfSync, sign, verify } from 'node:crypto'

/** What is signed for one purpose is worth nothing for another. */
type Purpose = 'service token' | 'principal'

export interface Signer {
  /** 32 bytes in base64url. No secret. */
  readonly publicKey: string
  /** The value, which is JSON, as `base64url(JSON).base64url(signature)`. */
  sign(value: unknown): string
}

/** The same secret gives the same signer, in every process. It has at least 32 bytes. */
export function createSigner(secret: Uint8Array, purpose: Purpose): Signer {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8, deriveSecret(secret, purpose)]),
    format: 'der',
    type: 'pkcs8',
  })
  return {
    publicKey: String(createPublicKey(privateKey).export({ format: 'jwk' }).x),
    sign(value) {
      const body = Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${body}.${sign(null, signed(purpose, body), privateKey).toString('base64url')}`
    },
  }
}

/**
 * Reads what the holder of the other half of `publicKey` signed; undefined for every other text.
 *
 * @throws RangeError for what is no public key
 */
export function createVerifier(publicKey: string, purpose: Purpose): (text: string) => unknown {
  if (!isPublicKey(publicKey)) throw new RangeError('a public key is 32 bytes in base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })
  return text => {
    const dot = text.indexOf('.')
    const body = text.slice(0, dot)
    const signature = Buffer.from(text.slice(dot + 1), 'base64url')
    // Buffer skips what is not base64url, so only a signature that comes back the same was one of ours.
    if (dot < 0 || signature.toString('base64url') !== text.slice(dot + 1)) return undefined
    return verify(null, signed(purpose, body), key, signature) ? bodyOf(body) : undefined
  }
}

/** What a text says, whoever signed it; undefined where it says nothing. */
export function unverified(text: string): unknown {
  try {
    return bodyOf(text.slice(0, text.indexOf('.')))
  } catch {
    return undefined
  }
}

export const isPublicKey = (text: string): boolean =>
  Buffer.from(text, 'base64url').length === KEY_BYTES && Buffer.from(text, 'base64url').toString('base64url') === text

/** A secret of its own for each purpose (HKDF, RFC 5869): who has that can't tell the one that it is made of. */
export function deriveSecret(secret: Uint8Array, purpose: string): Buffer {
  if (secret.length < KEY_BYTES) throw new RangeError(`the secret of a ${purpose} has at least ${KEY_BYTES} bytes`)
  return Buffer.from(hkdfSync('sha256', secret, '', `millhand ${purpose} v1`, KEY_BYTES))
}

const KEY_BYTES = 32
/** What stands before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

const signed = (purpose: Purpose, body: string) => Buffer.from(`millhand ${purpose} v1\0${body}`)

const bodyOf = (body: string): unknown => JSON.parse(Buffer.from(body, 'base64url').toString())
