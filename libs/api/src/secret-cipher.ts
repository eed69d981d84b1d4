/** Secrets as they are stored: who has the store and not the key reads none, and none is good in another's place. */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'

export interface SecretCipher {
  /** `owner` is whose secret it is. */
  seal(secret: string, owner: string): string
  /** @throws SecretUnreadable where it was sealed under another key, for another owner, or is damaged */
  open(sealed: string, owner: string): string
}

/** The deployment's `MILLHAND_SECRET_KEY` is another one, or what is stored is damaged. It names no secret. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable'
}

/** AES-256-GCM. `bytes` are 32, its key, the same for all replicas. */
export function createSecretCipher(bytes: Uint8Array): SecretCipher {
  const key = createSecretKey(bytes)
  return {
    seal(secret, owner) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(owner))
      const sealed = [cipher.update(secret, 'utf8'), cipher.final()]
      return Buffer.concat([iv, ...sealed, cipher.getAuthTag()]).toString('base64url')
    },
    open(text, owner) {
      try {
        const sealed = Buffer.from(text, 'base64url')
        const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(-TAG_BYTES))
        return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString()
      } catch {
        throw new SecretUnreadable(`the secret of ${owner} can't be read with this MILLHAND_SECRET_KEY`)
      }
    },
  }
}

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
