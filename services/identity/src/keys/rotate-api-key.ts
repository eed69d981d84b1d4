import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { ApiKey, RotateApiKeyRequest } from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import { principal, requestIdKey } from '@millhand/rpc'
import type { IdentityDeps } from '../identity-deps.ts'
import { foundKey, type KeyRecord, keyMessage } from './api-key-record.ts'
import { type IssuedKey, issuedBefore, issueKey, leftToMaker } from './issue-key.ts'
import { keyEvent } from './key-events.ts'
import { revokeApiKey } from './revoke-api-key.ts'

const DEFAULT_OVERLAP_S = 86_400

/**
 * Makes a key like another, and ends the other one after the overlap, or when it would have ended, if that is sooner;
 * without an overlap it is revoked.
 * The new key is there first: who dies in between leaves both, and the next try of the same operation goes on there.
 */
export const rotateApiKey =
  (deps: IdentityDeps) =>
  async ({ id, overlapSeconds = DEFAULT_OVERLAP_S }: RotateApiKeyRequest, call: HandlerContext): Promise<ApiKey> => {
    const old = await foundKey(deps.keys, principal(call).tenant, id)
    const made = (await issuedBefore(deps, call)) ?? (await replace(deps, call, old))
    // At once means everywhere, whatever the clocks say: a time would let it live where they are behind.
    if (overlapSeconds === 0)
      await revokeApiKey(deps)({ $typeName: 'millhand.identity.v1.RevokeApiKeyRequest', id }, call)
    // From when the new key was made, so that another try means the same moment.
    else await endAt(deps, call, old, made.key.created_at + overlapSeconds * 1_000)
    return keyMessage(made.key, made.secret)
  }

/** Makes a key like the old one, which lives as long as that was made to. Fails with `invalid_state`. */
async function replace(deps: IdentityDeps, call: HandlerContext, old: KeyRecord): Promise<IssuedKey> {
  const now = deps.clock.now()
  requireGood(old, now)
  const lifetime_ms = Math.min(old.lifetime_ms ?? Number.POSITIVE_INFINITY, await leftToMaker(deps, call, now))
  return await issueKey(deps, call, { ...old, lifetime_ms }, now)
}

function requireGood(key: KeyRecord, now: number): void {
  if (key.revoked_at !== undefined) throw fail('invalid_state', `The API key ${key.id} is revoked: make a new one.`)
  if (key.expires_at !== undefined && key.expires_at <= now) {
    throw fail('invalid_state', `The API key ${key.id} has expired: make a new one.`)
  }
}

/** Ends the key then, unless it ends sooner. */
async function endAt(deps: IdentityDeps, call: HandlerContext, key: KeyRecord, end: number): Promise<void> {
  const { keys, clock, ids } = deps
  for (let before = key; ; before = await foundKey(keys, key.tenant, key.id)) {
    if (before.revoked_at !== undefined || (before.expires_at !== undefined && before.expires_at <= end)) return
    const after: KeyRecord = {
      ...before,
      expires_at: end,
      resource_version: before.resource_version + 1,
      unannounced: 'yes',
    }
    const event = keyEvent('key.rotated', after, { ids, now: clock.now(), requestId: call.values.get(requestIdKey) })
    const { version } = before
    const result = await keys.write({ kind: 'replace', version, document: after, events: [event] })
    if (result.kind === 'written') return
  }
}
