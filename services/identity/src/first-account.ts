/** The first account: the operator's own, with a live and a test key. */
import { createIds, type PlanNames, prefixOfKey } from '@millhand/api'
import type { Clock } from '@millhand/process'
import { noAccount } from '@millhand/store'
import { toldPlans } from './accounts/account.ts'
import { accountEvent } from './accounts/account-events.ts'
import type { IdentityCollections } from './identity-collections.ts'
import { type KeyRecord, sha256Of } from './keys/api-key-record.ts'
import { keyEvent } from './keys/key-events.ts'

/** Fixed, so that two first starts at once make one account. */
export const bootstrapAccountId = 'acct_00000000000000000000000001'

export interface BootstrapKeys {
  readonly live: string
  readonly test: string
}

export interface FirstAccount {
  readonly keys: BootstrapKeys
  /** What it is made with: an account that is there keeps its own. */
  readonly plans: PlanNames
}

/** The operator's own account has no limits, unless it is told others. */
export const enterprise: PlanNames = { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' }

/** Whether a start before this one has made the first account. */
export async function hasFirstAccount({ accounts }: Pick<IdentityCollections, 'accounts'>): Promise<boolean> {
  return (await accounts.get(noAccount, bootstrapAccountId)) !== undefined
}

/** Makes the first account and its keys, unless they are there. Only the SHA-256 of a key is kept. */
export async function ensureFirstAccount(
  { accounts, keys, clock }: Pick<IdentityCollections, 'accounts' | 'keys'> & { readonly clock: Clock },
  first: FirstAccount,
): Promise<void> {
  const ids = createIds({ now: () => clock.now() })
  const account = {
    tenant: noAccount,
    id: bootstrapAccountId,
    name: 'first account',
    status: 'active',
    plans: first.plans,
    created_at: clock.now(),
    resource_version: 1,
    plans_told: toldPlans({ plans: first.plans, status: 'active' }),
  } as const
  const events = [accountEvent('account.created', account, { ids, now: account.created_at })]
  // A conflict says that it is there. The account comes first: no key is without one.
  await accounts.write({ kind: 'insert', document: account, events })
  for (const mode of ['live', 'test'] as const) {
    const key: KeyRecord = {
      tenant: `${bootstrapAccountId}/${mode}`,
      id: ids('key'),
      version: 1,
      account_id: bootstrapAccountId,
      mode,
      name: `bootstrap ${mode} key`,
      scopes: ['*'],
      prefix: prefixOfKey(first.keys[mode]),
      sha256: sha256Of(first.keys[mode]),
      created_at: clock.now(),
      resource_version: 1,
    }
    const event = keyEvent('key.created', key, { ids, now: key.created_at })
    await keys.write({ kind: 'insert', document: key, events: [event] }) // A conflict on `by_sha256`: it is there.
  }
}
