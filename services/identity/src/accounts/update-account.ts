import {
  type Account,
  AccountStatus,
  type UpdateAccountRequest,
} from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import type { IdentityDeps } from '../identity-deps.ts'
import { type AccountRecord, accountMessage } from './account.ts'
import { changeAccount } from './change-account.ts'
import { requestedPlans } from './requested-plans.ts'

/** Changes an account. */
export const updateAccount =
  (deps: IdentityDeps) =>
  async (req: UpdateAccountRequest): Promise<Account> =>
    accountMessage(
      await changeAccount(deps, req.id, before => ({
        ...before,
        name: req.name ?? before.name,
        status: statusOf(req.status) ?? before.status,
        plans: requestedPlans(deps.plans, req.plans, before.plans),
      })),
    )

function statusOf(status: AccountStatus | undefined): AccountRecord['status'] | undefined {
  if (status === undefined) return undefined
  return status === AccountStatus.ACTIVE ? 'active' : 'suspended'
}
