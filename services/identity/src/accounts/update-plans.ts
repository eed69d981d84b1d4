import type { HandlerContext } from '@connectrpc/connect'
import { type Family, type Fault, fail, failIf, families } from '@millhand/api'
import type { AccountPlans, UpdatePlansRequest } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import type { Plans } from '@millhand/plans'
import { principal } from '@millhand/rpc'
import type { IdentityDeps } from '../identity-deps.ts'
import { type AccountRecord, foundAccount } from './account.ts'
import { plansMessage } from './account-events.ts'
import { changeAccount } from './change-account.ts'

/** An operator alone gives and takes it, whatever its price. */
const BY_OPERATOR = 'enterprise'
const MOST_CHANGES_A_DAY = 100
const DAY_MS = 86_400_000

/** Changes the plans of the caller's account. The sandbox has the account's own plans: there nothing changes. */
export const updatePlans =
  (deps: IdentityDeps) =>
  async (req: UpdatePlansRequest, call: HandlerContext): Promise<AccountPlans> => {
    const { accountId, mode } = principal(call)
    const now = deps.clock.now()
    const requested = (before: AccountRecord) => {
      failIf(families.flatMap(family => planFaults(deps.plans, family, req[family], before.plans[family], now)))
      const of = (family: Family) => req[family] ?? before.plans[family]
      return { compute: of('compute'), developer: of('developer'), workforce: of('workforce') }
    }
    if (mode === 'test') {
      const before = await foundAccount(deps.accounts, accountId)
      return plansMessage({ ...before, plans: requested(before) })
    }
    const account = await changeAccount(deps, accountId, before => {
      const plans = requested(before)
      if (families.every(family => plans[family] === before.plans[family])) return before
      return { ...before, plans, plan_changes: countedChange(before, deps.clock.now()) }
    })
    return plansMessage(account)
  }

function planFaults(plans: Plans, family: Family, name: string | undefined, before: string, now: number): Fault[] {
  if (name === undefined || name === before) return []
  const isByOperator = (plan: string) => plan === BY_OPERATOR || plans.prices.isByAgreement(family, plan, now)
  const offered = plans.names(family).filter(plan => !isByOperator(plan))
  if (!isByOperator(before) && offered.includes(name)) return []
  const fault = (message: string): Fault[] => [{ param: family, code: 'not_in', message }]
  if (isByOperator(before)) return fault(`\`${family}\` is \`${before}\`, which an operator alone changes.`)
  const byOperator = plans.names(family).filter(isByOperator)
  const given = byOperator.map(plan => `\`${plan}\``).join(' and ')
  const more = byOperator.length === 0 ? '' : `; ${given} ${byOperator.length > 1 ? 'are' : 'is'} given by an operator`
  return fault(`\`${family}\` must be one of ${offered.join(', ')}${more}.`)
}

/** Fails with `rate_limited`: each change is remembered, for the bill. */
function countedChange({ plan_changes: before }: AccountRecord, now: number): AccountRecord['plan_changes'] {
  const day = new Date(now).toISOString().slice(0, 10)
  const count = before?.day === day ? before.count + 1 : 1
  if (count <= MOST_CHANGES_A_DAY) return { day, count }
  const retryAfterS = Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000)
  throw fail('rate_limited', `Plans can be changed ${MOST_CHANGES_A_DAY} times a day.`, { retryAfterS })
}
