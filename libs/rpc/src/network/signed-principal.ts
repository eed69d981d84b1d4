/** The principal as it crosses a network: signed, and soon worth nothing. */

import { families, type PlanNames } from '@millhand/api'
import { type Clock, systemClock } from '@millhand/process'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../principal.ts'
import { refusal } from './admission-error.ts'
import { createSigner, createVerifier } from './signature.ts'

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

/** What is signed. */
interface Signed {
  readonly accountId: string
  readonly mode: Principal['mode']
  readonly scopes: readonly string[]
  readonly keyId: string
  readonly plans: PlanNames
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface PrincipalSigner {
  /** With which they are read. No secret. */
  readonly publicKey: string
  /** The same principal is signed once in 30 s, however often it calls. */
  sign(principal: Principal): string
}

/** `secret` has at least 32 bytes. */
export function createPrincipalSigner(secret: Uint8Array, clock: Pick<Clock, 'now'> = systemClock): PrincipalSigner {
  const signer = createSigner(secret, 'principal')
  // A key that is looked up again is another object, and mostly says the same.
  const byObject = new WeakMap<Principal, Signature>()
  const byContent = new LRUCache<string, Signature>({ max: REMEMBERED })
  return {
    publicKey: signer.publicKey,
    sign(principal) {
      const now = clock.now()
      // A clock that was set back signs anew, too: what it signed before may be from a time that is not its own.
      const isGood = (last: Signature | undefined): last is Signature =>
        last !== undefined && now >= last.at && now < last.at + REUSE_MS
      const last = byObject.get(principal)
      if (isGood(last)) return last.header
      const { accountId, mode, scopes, keyId, plans } = principal
      const content = { accountId, mode, scopes: [...scopes], keyId, plans }
      const text = JSON.stringify(content)
      const same = byContent.get(text)
      const signature = isGood(same)
        ? same
        : { at: now, header: signer.sign({ ...content, expiresAt: now + LIFE_MS } satisfies Signed) }
      byObject.set(principal, signature)
      byContent.set(text, signature)
      return signature.header
    },
  }
}

interface Signature {
  readonly header: string
  /** When it was signed. */
  readonly at: number
}

/**
 * Reads what the signer of this public key signed. The same text gives the same object.
 *
 * @throws ConnectError `unavailable` for what was signed at another time, `invalid_credentials` for all that was not signed
 */
export function createPrincipalReader(publicKey: string, clock: Pick<Clock, 'now'>): (header: string) => Principal {
  const open = createVerifier(publicKey, 'principal')
  const verified = new LRUCache<string, Verified>({ max: REMEMBERED })
  const verify = (header: string): Verified => {
    const signed = header.length > MAX_LENGTH ? undefined : open(header)
    if (!isSigned(signed)) throw refusal('invalid_credentials', 'The principal is not one that this caller signed.')
    const { accountId, mode, scopes, keyId, plans, expiresAt } = signed
    return {
      expiresAt,
      principal: { accountId, mode, tenant: `${accountId}/${mode}`, scopes: new Set(scopes), keyId, plans },
    }
  }
  return header => {
    const known = verified.get(header)
    const { principal, expiresAt } = known ?? verify(header)
    const left = expiresAt - clock.now()
    if (left <= 0 || left > LIFE_MS + AHEAD_MS) throw clocksDiffer(left - LIFE_MS)
    if (known === undefined) verified.set(header, { principal, expiresAt })
    return principal
  }
}

/** Nobody keeps a principal for so long, or has one from the future: it is no fault of the caller, and passes. */
function clocksDiffer(aheadMs: number) {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  const ago = aheadMs > 0 ? `${seconds} s ahead of this clock` : `${seconds} s ago by this clock`
  return refusal('unavailable', `The clocks of caller and callee differ: the principal was signed ${ago}.`)
}

interface Verified {
  readonly principal: Principal
  readonly expiresAt: number
}

/** It becomes part of tenants, and so of keys of blobs: no text that means something else there. */
const accountForm = /^acct_[0-9a-z_]{1,40}$/

function isSigned(value: unknown): value is Signed {
  const { accountId, mode, scopes, keyId, plans, expiresAt } = (value ?? {}) as Partial<Signed>
  return (
    typeof accountId === 'string' &&
    accountForm.test(accountId) &&
    (mode === 'live' || mode === 'test') &&
    Array.isArray(scopes) &&
    scopes.every(scope => typeof scope === 'string') &&
    typeof keyId === 'string' &&
    families.every(family => typeof plans?.[family] === 'string') &&
    Number.isFinite(expiresAt)
  )
}
