import type { HandlerContext } from '@connectrpc/connect'
import type { ApiKey, RevokeApiKeyRequest } from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import { principal, requestIdKey } from '@millhand/rpc'
import type { IdentityDeps } from '../identity-deps.ts'
import { foundKey, type KeyRecord, keyMessage } from './api-key-record.ts'
import { keyEvent } from './key-events.ts'

/** Revokes a key; gateways hear of it with their next look at the changes. Idempotent. */
export const revokeApiKey =
  ({ keys, clock, ids }: IdentityDeps) =>
  async ({ id }: RevokeApiKeyRequest, call: HandlerContext): Promise<ApiKey> => {
    for (;;) {
      const before = await foundKey(keys, principal(call).tenant, id)
      if (before.revoked_at !== undefined) return keyMessage(before)
      const now = clock.now()
      const after: KeyRecord = {
        ...before,
        revoked_at: now,
        resource_version: before.resource_version + 1,
        unannounced: 'yes',
      }
      const event = keyEvent('key.revoked', after, { ids, now, requestId: call.values.get(requestIdKey) })
      const { version } = before
      const result = await keys.write({ kind: 'replace', version, document: after, events: [event] })
      if (result.kind === 'written') return keyMessage(after)
    }
  }
