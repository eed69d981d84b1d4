/** The event of an account: which plans it has since when. */
import { families, type PlanNames } from '@millhand/api'
import type { LoggedEvent } from '@millhand/eventlog'
import type { PlanChange } from './ledger.ts'

export interface AccountPlans {
  readonly tenant: string
  readonly change: PlanChange
}

/** Undefined for an event of something else. @throws TypeError for one that can't be read */
export function accountPlans({ id, type, time, value }: LoggedEvent): AccountPlans | undefined {
  if (!type.startsWith('account.')) return undefined
  const { account_id, data, resource_version } = JSON.parse(value)
  const plans = data?.object
  if (typeof account_id !== 'string' || !Number.isSafeInteger(resource_version)) throw new TypeError('an id is missing')
  for (const family of families) if (typeof plans?.[family] !== 'string') throw new TypeError('a plan is missing')
  const { compute, developer, workforce }: PlanNames = plans
  const isSuspended = plans.status === 'suspended'
  const names = { compute, developer, workforce }
  const change = {
    at: time,
    resource_version,
    event_id: id,
    ...names,
    ...(isSuspended && { suspended: true as const }),
  }
  return { tenant: `${account_id}/live`, change }
}
