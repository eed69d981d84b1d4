/** Changes an account; gateways hear of it with their next look at the changes, and billing of its plans and its suspension. */
import { families } from '@millhand/api'
import type { Draft } from '@millhand/store'
import type { IdentityDeps } from '../identity-deps.ts'
import { type AccountRecord, foundAccount, toldPlans } from './account.ts'
import { type AccountEventType, accountEvent } from './account-events.ts'

/**
 * The account after `change`, which may be called again with what another has written. What it returns unchanged is not
 * written. Fails with `not_found`, and with what `change` throws.
 */
export async function changeAccount(
  { accounts, ids, clock }: Pick<IdentityDeps, 'accounts' | 'ids' | 'clock'>,
  id: string,
  change: (before: AccountRecord) => Draft<AccountRecord>,
): Promise<AccountRecord> {
  for (;;) {
    const before = await foundAccount(accounts, id)
    const changed = change(before)
    if (isSame(before, changed)) return before
    const { version, resource_version } = before
    const plans_told = toldPlans(changed)
    const after = { ...changed, resource_version: resource_version + 1, unannounced: 'yes', plans_told } as const
    const now = clock.now()
    const events = eventTypes(before, after).map(type => accountEvent(type, after, { ids, now }))
    const result = await accounts.write({ kind: 'replace', version, document: after, events })
    if (result.kind === 'written') return { ...after, version: result.version }
  }
}

function eventTypes(before: AccountRecord, after: Draft<AccountRecord>): AccountEventType[] {
  const wasTold = before.plans_told === toldPlans(before)
  const hasOtherPlans = !wasTold || families.some(family => before.plans[family] !== after.plans[family])
  const isTurned = before.status !== after.status
  return [
    ...(hasOtherPlans ? (['account.plans_changed'] as const) : []),
    ...(isTurned ? ([after.status === 'suspended' ? 'account.suspended' : 'account.resumed'] as const) : []),
  ]
}

const isSame = (a: Draft<AccountRecord>, b: Draft<AccountRecord>) =>
  a.name === b.name && a.status === b.status && families.every(family => a.plans[family] === b.plans[family])
