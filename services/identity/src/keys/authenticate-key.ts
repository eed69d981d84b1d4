import { wordOfMode } from '@millhand/api'
import type {
  AuthenticateKeyRequest,
  AuthenticateKeyResponse,
  KeyRef,
} from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { noAccount } from '@millhand/store'
import { accountMessage } from '../accounts/account.ts'
import type { IdentityDeps } from '../identity-deps.ts'
import { type KeyRecord, keyMessage } from './api-key-record.ts'

/**
 * Says whom an API key belongs to, revoked and expired ones too: the caller judges by their times.
 *
 * A key is looked up by its SHA-256, in an index that compares digests byte by byte. That leaks nothing: who asks can
 * choose no digest that shares a beginning with a stored one, for it can't choose the digest of a text at all.
 */
export const authenticateKey =
  ({ keys, accounts, plans }: IdentityDeps) =>
  async ({ key: asked }: AuthenticateKeyRequest): Promise<AuthenticateKeyResponse> => {
    const $typeName = 'millhand.identity.v1.AuthenticateKeyResponse'
    const key = await lookUp({ keys }, asked)
    if (!key) return { $typeName }
    const account = await accounts.get(noAccount, key.account_id)
    if (!account) throw new Error(`the key ${key.id} has no account`)
    const compute = plans.computePlan(account.plans.compute).requests_per_minute
    const developer = plans.developerPlan(account.plans.developer).requests_per_minute
    return {
      $typeName,
      holder: {
        $typeName: 'millhand.identity.v1.KeyHolder',
        key: keyMessage(key),
        account: accountMessage(account),
        ...(compute !== null && { computeRequestsPerMinute: compute }),
        ...(developer !== null && { developerRequestsPerMinute: developer }),
      },
    }
  }

async function lookUp(
  { keys }: Pick<IdentityDeps, 'keys'>,
  asked: AuthenticateKeyRequest['key'],
): Promise<KeyRecord | undefined> {
  switch (asked.case) {
    case 'keySha256': {
      const [key] = await keys.find('by_sha256', { equals: [Buffer.from(asked.value).toString('hex')], limit: 1 })
      return key
    }
    case 'keyRef':
      return await keys.get(tenantOf(asked.value), asked.value.keyId)
    case undefined:
      return undefined
  }
}

export const tenantOf = ({ accountId, mode }: KeyRef): string => `${accountId}/${wordOfMode(mode)}`
