import { families } from '@millhand/api'
import type {
  Account,
  GetAccountRequest,
  ListAccountsRequest,
  ListAccountsResponse,
  ListPlansResponse,
  PlanInfo,
} from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import { noAccount } from '@millhand/store'
import type { IdentityDeps } from '../identity-deps.ts'
import { accountMessage, foundAccount } from './account.ts'

export const getAccount =
  ({ accounts }: IdentityDeps) =>
  async ({ id }: GetAccountRequest): Promise<Account> =>
    accountMessage(await foundAccount(accounts, id))

/** The oldest first. */
export const listAccounts =
  ({ accounts }: IdentityDeps) =>
  async ({ limit = 100, after }: ListAccountsRequest): Promise<ListAccountsResponse> => {
    const found = await accounts.find('primary', { equals: [noAccount], after: [after], limit: limit + 1 })
    return {
      $typeName: 'millhand.identity.v1.ListAccountsResponse',
      accounts: found.slice(0, limit).map(accountMessage),
      hasMore: found.length > limit,
    }
  }

/** All plans of the plan file, family by family, in its order. */
export const listPlans = ({ plans }: IdentityDeps) => {
  const limits = {
    compute: (name: string) => ({ requestsPerMinute: plans.computePlan(name).requests_per_minute }),
    developer: (name: string) => ({ requestsPerMinute: plans.developerPlan(name).requests_per_minute }),
    workforce: (name: string) => ({ tasksPerDay: plans.workforcePlan(name).tasks_per_day }),
  }
  const infos = families.flatMap(family =>
    plans.names(family).map((name): PlanInfo => {
      const limit = Object.entries(limits[family](name)).filter(([, value]) => value !== null)
      return { $typeName: 'millhand.identity.v1.PlanInfo', family, name, ...Object.fromEntries(limit) }
    }),
  )
  return (): ListPlansResponse => ({ $typeName: 'millhand.identity.v1.ListPlansResponse', plans: infos })
}
