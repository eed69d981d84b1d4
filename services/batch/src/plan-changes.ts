/** Batches get the plans that their account has now: what is made of them next is made by those. */
import { isDeepStrictEqual } from 'node:util'
import { families, type PlanNames } from '@millhand/api'
import type { LoggedEvent } from '@millhand/eventlog'
import type { Log } from '@millhand/telemetry'
import { hasEnded } from './batch.ts'
import { type BatchStoreDeps, changeBatch } from './batch-store.ts'

/** More than there are batches of a tenant that have not ended. */
const MOST_BATCHES = 1_000

/** Writes the plans that events of accounts tell of to all batches of theirs that have not ended. Idempotent. */
export async function takePlans(deps: BatchStoreDeps, events: readonly LoggedEvent[], log: Log): Promise<void> {
  for (const [account, plans] of latestPlans(events, log))
    for (const tenant of [`${account}/live`, `${account}/test`]) {
      const active = await deps.batches.find('active', { equals: [tenant], limit: MOST_BATCHES })
      for (const { id } of active)
        await changeBatch(deps, tenant, id, batch =>
          hasEnded(batch) || isDeepStrictEqual(batch.plans, plans) ? batch : { ...batch, plans },
        )
    }
}

/** By account. An event that can't be read is passed over, and the log tells of it. */
function latestPlans(events: readonly LoggedEvent[], log: Log): ReadonlyMap<string, PlanNames> {
  const latest = new Map<string, PlanNames>()
  for (const event of events) {
    if (!event.type.startsWith('account.')) continue
    try {
      const { account_id, data } = JSON.parse(event.value)
      const { compute, developer, workforce } = data.object
      const plans: PlanNames = { compute, developer, workforce }
      if (families.some(family => typeof plans[family] !== 'string')) throw new TypeError('a plan is missing')
      latest.set(account_id, plans)
    } catch (error) {
      log.error('batch.event_unreadable', { event_id: event.id, account_id: event.key, error })
    }
  }
  return latest
}
