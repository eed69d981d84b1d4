/** Notes in ledgers which plans accounts have, from the events of accounts. */
import type { LoggedEvent } from '@millhand/eventlog'
import type { Prices } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import { type Log, traceIds } from '@millhand/telemetry'
import { type AccountPlans, accountPlans } from './account-event.ts'
import { withFoldedPlans } from './bill.ts'
import type { Posting } from './posting.ts'
import { withPlanChange } from './subscription.ts'

interface PlanConsumerDeps {
  readonly posting: Posting
  readonly prices: Prices
  readonly clock: Clock
  readonly log: Log
}

/** Rejects when the store fails; what was noted until then is not noted again. */
export const consumeAccountEvents =
  (deps: PlanConsumerDeps) =>
  async (events: readonly LoggedEvent[]): Promise<void> => {
    const changes = Map.groupBy(
      events.flatMap(event => readable(event, deps.log) ?? []),
      ({ tenant }) => tenant,
    )
    await Promise.all([...changes].map(([tenant, ofTenant]) => note(deps, tenant, ofTenant)))
  }

/** A ledger with more is looked through for plans that nothing can change any more. */
const MANY = 200

const note = ({ posting, prices, clock }: PlanConsumerDeps, tenant: string, changes: readonly AccountPlans[]) =>
  posting.change(tenant, ledger => {
    const kept = changes.filter(({ change }) => change.resource_version >= (ledger.plans_from ?? 0))
    const plans = kept.reduce((plans, { change }) => withPlanChange(plans, change) ?? plans, ledger.plans)
    if (plans === ledger.plans) return undefined
    const noted = { ...ledger, plans }
    return plans.length > MANY ? withFoldedPlans(noted, clock.now(), prices) : noted
  })

/** An event that can't be read must not hold up all others for ever: the log tells of it. */
function readable(event: LoggedEvent, log: Log): AccountPlans | undefined {
  try {
    return accountPlans(event)
  } catch (error) {
    log.error('billing.event_unreadable', { event_id: event.id, ...traceIds(event.traceparent), error })
    return undefined
  }
}
