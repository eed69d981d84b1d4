/** A new key, from the record to its event. */
import type { HandlerContext } from '@connectrpc/connect'
import { fail, prefixOfKey } from '@millhand/api'
import { idOf, operationKey, principal, requestIdKey } from '@millhand/rpc'
import type { IdentityDeps } from '../identity-deps.ts'
import { type KeyRecord, sha256Of } from './api-key-record.ts'
import { keyEvent } from './key-events.ts'
import { requireHeld } from './scopes.ts'

export interface IssuedKey {
  readonly key: KeyRecord
  /** The key itself. */
  readonly secret: string
}

export type KeyIssuing = Pick<IdentityDeps, 'keys' | 'secrets' | 'clock' | 'ids'>

/**
 * The key that the call's operation has made before, as it is now.
 *
 * Fails with `idempotency_mismatch` where another API key has made it: as with an answer that is kept, that one alone is
 * shown the secret, and can't lend its rights to who repeats its call. Fails with `conflict` where identity's secret has
 * changed since.
 */
export async function issuedBefore(
  { keys, secrets }: KeyIssuing,
  call: HandlerContext,
): Promise<IssuedKey | undefined> {
  const operation = call.values.get(operationKey)
  if (operation === undefined) return undefined
  const { tenant, mode, keyId } = principal(call)
  const key = await keys.get(tenant, `key_${operation}`)
  if (key === undefined) return undefined
  if (key.made_by !== keyId) throw madeByAnother()
  const secret = secrets({ tenant, mode, operation })
  if (sha256Of(secret) !== key.sha256) throw isLost(key)
  return { key, secret }
}

/** Milliseconds that are left to the API key that calls: what it makes does not outlive it. Infinity where it has no end. */
export async function leftToMaker({ keys }: KeyIssuing, call: HandlerContext, now: number): Promise<number> {
  const { tenant, keyId } = principal(call)
  const maker = await keys.get(tenant, keyId) // An operator has none.
  return (maker?.expires_at ?? Number.POSITIVE_INFINITY) - now
}

/**
 * Makes a key of the caller's account and mode, without an end where its lifetime is Infinity.
 * Fails with `insufficient_scope`, and as `issuedBefore` does.
 */
export async function issueKey(
  deps: KeyIssuing,
  call: HandlerContext,
  { name, scopes, lifetime_ms }: Pick<KeyRecord, 'name' | 'scopes'> & { readonly lifetime_ms: number },
  now: number,
): Promise<IssuedKey> {
  const { keys, secrets, ids } = deps
  const { accountId, mode, tenant, keyId, scopes: held } = principal(call)
  requireHeld(scopes, held)
  const secret = secrets({ tenant, mode, operation: call.values.get(operationKey) })
  const key: KeyRecord = {
    tenant,
    id: idOf('key', call, ids),
    version: 1,
    account_id: accountId,
    mode,
    name,
    scopes: [...scopes],
    prefix: prefixOfKey(secret),
    sha256: sha256Of(secret),
    made_by: keyId,
    created_at: now,
    ...(Number.isFinite(lifetime_ms) && { lifetime_ms, expires_at: Math.min(now + lifetime_ms, LAST_MS) }),
    resource_version: 1,
  }
  const event = keyEvent('key.created', key, { ids, now, requestId: call.values.get(requestIdKey) })
  const result = await keys.write({ kind: 'insert', document: key, events: [event] })
  if (result.kind === 'written') return { key, secret }
  const made = await issuedBefore(deps, call) // By another try of the same operation, at the same time.
  if (!made) throw fail('conflict', `The id ${key.id} is taken.`)
  return made
}

/** No timestamp is later. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const madeByAnother = () =>
  fail(
    'idempotency_mismatch',
    'What was begun with this `Idempotency-Key` shows a secret, which only the API key can read that began it.',
  )

const isLost = ({ id }: KeyRecord) =>
  fail(
    'conflict',
    `An earlier try made the API key ${id}, which can’t be shown any more. Revoke it, and make a new one with another idempotency key.`,
  )
