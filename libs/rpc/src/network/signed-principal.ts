/** The principal as it crosses a network: signed, and soon worth nothing. */
import type { Clock } from '@millhand/runner'
import type { Principal } from '../principal.ts'
import { createRecent } from './recent.ts'
import { refusal } from './refusal.ts'
import { createSeal } from './seal.ts'

/** Carries the signed principal. */
export const principalHeader = 'millhand-principal'

/** How long a signed principal is good for. Contract, section 10. */
const LIFE_MS = 60_000
/** A signature serves so long: what is sent has then at least half its life left to arrive in, and for clocks to differ. */
const REUSE_MS = 30_000
/** The signer's clock may be ahead of ours by so much. */
const AHEAD_MS = 60_000
/** An account, a key and all scopes take under 1 KiB. */
const MAX_LENGTH = 8_000
/** Callers within a minute that are read once; at about 1 KiB each, 10 MiB. */
const REMEMBERED = 10_000

/** What is sealed. */
interface Signed {
  readonly accountId: string
  readonly mode: Principal['mode']
  readonly scopes: readonly string[]
  readonly keyId: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Signs principals. One object is signed once in 30 s, however often it calls. */
export function createPrincipalSigner(secret: Uint8Array, clock: Pick<Clock, 'now'>): (principal: Principal) => string {
  const seal = createSeal(secret, 'principal')
  const signatures = new WeakMap<Principal, { readonly header: string; readonly at: number }>()
  return principal => {
    const now = clock.now()
    const last = signatures.get(principal)
    // A clock that was set back signs anew, too: what it signed before may be from a time that is not its own.
    if (last !== undefined && now >= last.at && now < last.at + REUSE_MS) return last.header
    const { accountId, mode, scopes, keyId } = principal
    const signed: Signed = { accountId, mode, scopes: [...scopes], keyId, expiresAt: now + LIFE_MS }
    const header = seal.seal(signed)
    signatures.set(principal, { header, at: now })
    return header
  }
}

/**
 * Reads what `createPrincipalSigner` signed with the same secret. The same text gives the same object.
 *
 * @throws ConnectError `expired_credentials`, or `invalid_credentials` for everything that was not signed
 */
export function createPrincipalReader(secret: Uint8Array, clock: Pick<Clock, 'now'>): (header: string) => Principal {
  const seal = createSeal(secret, 'principal')
  const verified = createRecent<Verified>(REMEMBERED)
  const verify = (header: string): Verified => {
    const signed = header.length > MAX_LENGTH ? undefined : seal.open(header)
    if (!isSigned(signed)) throw refusal('invalid_credentials', 'The principal is not one that was signed here.')
    const { accountId, mode, scopes, keyId, expiresAt } = signed
    return {
      expiresAt,
      principal: { accountId, mode, tenant: `${accountId}/${mode}`, scopes: new Set(scopes), keyId },
    }
  }
  return header => {
    const known = verified.get(header)
    const { principal, expiresAt } = known ?? verify(header)
    const left = expiresAt - clock.now()
    if (left <= 0) throw refusal('expired_credentials', 'The principal was signed over a minute ago.')
    if (left > LIFE_MS + AHEAD_MS) throw refusal('invalid_credentials', 'The principal was signed in the future.')
    if (known === undefined) verified.set(header, { principal, expiresAt })
    return principal
  }
}

interface Verified {
  readonly principal: Principal
  readonly expiresAt: number
}

function isSigned(value: unknown): value is Signed {
  const { accountId, mode, scopes, keyId, expiresAt } = (value ?? {}) as Partial<Signed>
  return (
    typeof accountId === 'string' &&
    accountId !== '' &&
    (mode === 'live' || mode === 'test') &&
    Array.isArray(scopes) &&
    scopes.every(scope => typeof scope === 'string') &&
    typeof keyId === 'string' &&
    Number.isFinite(expiresAt)
  )
}
