import { families } from '@millhand/api'
import {
  type Account,
  AccountStatus,
  type UpdateAccountRequest,
} from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import type { IdentityDeps } from '../identity-deps.ts'
import { type AccountRecord, accountMessage, foundAccount } from './account.ts'
import { requestedPlans } from './requested-plans.ts'

/** Changes an account; gateways hear of it with their next look at the changes. */
export const updateAccount =
  ({ accounts, plans }: IdentityDeps) =>
  async (req: UpdateAccountRequest): Promise<Account> => {
    for (;;) {
      const before = await foundAccount(accounts, req.id)
      const after: AccountRecord = {
        ...before,
        name: req.name ?? before.name,
        status: statusOf(req.status) ?? before.status,
        plans: requestedPlans(plans, req.plans, before.plans),
        resource_version: before.resource_version + 1,
        unannounced: 'yes',
      }
      if (isSame(before, after)) return accountMessage(before)
      const { version } = before
      const result = await accounts.write({ kind: 'replace', version, document: after, events: [] })
      if (result.kind === 'written') return accountMessage(after)
    }
  }

function statusOf(status: AccountStatus | undefined): AccountRecord['status'] | undefined {
  if (status === undefined) return undefined
  return status === AccountStatus.ACTIVE ? 'active' : 'suspended'
}

const isSame = (a: AccountRecord, b: AccountRecord) =>
  a.name === b.name && a.status === b.status && families.every(family => a.plans[family] === b.plans[family])
