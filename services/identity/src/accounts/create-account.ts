import type { Account, CreateAccountRequest } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import { noAccount } from '@millhand/store'
import type { IdentityDeps } from '../identity-deps.ts'
import { type AccountRecord, accountMessage, toldPlans } from './account.ts'
import { accountEvent } from './account-events.ts'
import { requestedPlans } from './requested-plans.ts'

/** Makes an account. Fails naming each plan that the plan file has not. */
export const createAccount =
  ({ accounts, plans, clock, ids }: IdentityDeps) =>
  async (req: CreateAccountRequest): Promise<Account> => {
    const accountPlans = requestedPlans(plans, req.plans, plans.newAccount)
    const account: AccountRecord = {
      tenant: noAccount,
      id: ids('acct'),
      version: 1,
      name: req.name,
      status: 'active',
      plans: accountPlans,
      created_at: clock.now(),
      resource_version: 1,
      plans_told: toldPlans({ plans: accountPlans, status: 'active' }),
    }
    const events = [accountEvent('account.created', account, { ids, now: account.created_at })]
    const result = await accounts.write({ kind: 'insert', document: account, events })
    if (result.kind === 'conflict') throw new Error(`the id ${account.id} is taken`)
    return accountMessage(account)
  }
