/** Notes in ledgers which plans accounts have, from the events of accounts. */
import type { LoggedEvent } from '@millhand/eventlog'
import type { Log } from '@millhand/telemetry'
import { type AccountPlans, accountPlans } from './account-event.ts'
import type { Posting } from './posting.ts'
import { withPlanChange } from './subscription.ts'

/** Rejects when the store fails; what was noted until then is not noted again. */
export const consumeAccountEvents =
  ({ posting, log }: { readonly posting: Posting; readonly log: Log }) =>
  async (events: readonly LoggedEvent[]): Promise<void> => {
    const changes = Map.groupBy(
      events.flatMap(event => readable(event, log) ?? []),
      ({ tenant }) => tenant,
    )
    await Promise.all([...changes].map(([tenant, ofTenant]) => note(posting, tenant, ofTenant)))
  }

const note = (posting: Posting, tenant: string, changes: readonly AccountPlans[]) =>
  posting.change(tenant, ledger => {
    const kept = changes.filter(({ change }) => change.resource_version >= (ledger.plans_from ?? 0))
    const plans = kept.reduce((plans, { change }) => withPlanChange(plans, change) ?? plans, ledger.plans)
    return plans === ledger.plans ? undefined : { ...ledger, plans }
  })

/** An event that can't be read must not hold up all others for ever: the log tells of it. */
function readable(event: LoggedEvent, log: Log): AccountPlans | undefined {
  try {
    return accountPlans(event)
  } catch (error) {
    log.error('billing.event_unreadable', { event_id: event.id, error })
    return undefined
  }
}
