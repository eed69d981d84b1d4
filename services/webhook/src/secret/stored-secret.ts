/** The secret of an endpoint, or of a tenant's callbacks, as it is stored. */
import { fail, type SecretCipher, SecretUnreadable } from '@millhand/api'
import { newSecret, type Signature } from './secret.ts'

/** Times are milliseconds since 1970. */
export interface StoredSecret {
  /** What deliveries are signed with, sealed. */
  readonly secret: string
  /** The API key that made it, and the operation, where there was one. */
  readonly secret_made_by: string
  readonly secret_operation?: string | undefined
  /** Signs as well until its end. */
  readonly previous_secret?: string | undefined
  readonly previous_secret_expires_at?: number | undefined
}

/** Whose secret it is: it is sealed for that one. */
export interface SecretOwner {
  readonly tenant: string
  readonly id: string
}

/** Who makes a secret. */
export interface SecretMaker {
  /** The id of the API key. */
  readonly key: string
  readonly operation: string | undefined
}

export const firstSecret = (
  sealer: SecretCipher,
  owner: SecretOwner,
  signature: Signature,
  maker: SecretMaker,
): StoredSecret => ({
  secret: sealer.seal(newSecret(signature), sealedFor(owner)),
  secret_made_by: maker.key,
  secret_operation: maker.operation,
})

/**
 * Another secret; the one before is good for a day more, and the one before that no longer. One that can't be read is
 * left behind: rotating is what brings an endpoint back whose secret was sealed under a key that is lost.
 */
export const rotatedSecret = (
  sealer: SecretCipher,
  owner: SecretOwner & StoredSecret,
  signature: Signature,
  maker: SecretMaker,
  now: number,
): StoredSecret => ({
  ...firstSecret(sealer, owner, signature, maker),
  ...(isReadable(sealer, owner)
    ? { previous_secret: owner.secret, previous_secret_expires_at: now + OVERLAP_MS }
    : { previous_secret: undefined, previous_secret_expires_at: undefined }),
})

function isReadable(sealer: SecretCipher, owner: SecretOwner & StoredSecret): boolean {
  try {
    openSecret(sealer, owner)
    return true
  } catch (error) {
    if (error instanceof SecretUnreadable) return false
    throw error
  }
}

/** The secrets to sign with now, sealed, the newest first. */
export function activeSecrets(held: StoredSecret, now: number): string[] {
  const { secret, previous_secret, previous_secret_expires_at = 0 } = held
  return previous_secret === undefined || previous_secret_expires_at <= now ? [secret] : [secret, previous_secret]
}

/** The newest secret. @throws SecretUnreadable */
export const openSecret = (sealer: SecretCipher, owner: SecretOwner & StoredSecret): string =>
  sealer.open(owner.secret, sealedFor(owner))

/**
 * Whether the secret was made by an earlier try of the same call. Fails with `idempotency_mismatch` where another API key
 * made that try: as with an answer that is kept, that one alone is shown it.
 */
export function isMadeBy(held: StoredSecret, maker: SecretMaker): boolean {
  if (maker.operation === undefined || held.secret_operation !== maker.operation) return false
  if (held.secret_made_by === maker.key) return true
  throw fail(
    'idempotency_mismatch',
    'What was begun with this `Idempotency-Key` shows a secret, which only the API key can read that began it.',
  )
}

const OVERLAP_MS = 86_400_000

/** What its secret is sealed for. */
export const sealedFor = ({ tenant, id }: SecretOwner): string => `${tenant}/${id}`
