/**
 * Compares what tenants have spent with their limits, and tells of each step in the write that notes it. It runs after each
 * posting, before the events are done with: who dies in between gets them again, so no step is missed.
 */
import type { Ids } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Draft } from '@millhand/store'
import { LEDGER_ID, type Ledgers } from '../ledger/ledger.ts'
import { monthOf } from '../ledger/month.ts'
import { limitEvent } from './limit-event.ts'
import { afterSpending, LIMITS_ID, type SpendingLimits, type SpendingLimitsRecord, spentOf } from './spending-limits.ts'

export interface LimitDeps {
  readonly ledgers: Pick<Ledgers, 'get'>
  readonly limits: SpendingLimits
  readonly clock: Clock
  readonly ids: Ids
}

/** Checks a tenant after something was posted. Rejects when the store fails. */
export const checkLimits = (deps: LimitDeps, tenant: string): Promise<SpendingLimitsRecord | undefined> =>
  changeLimits(deps, tenant, before => before)

/**
 * Changes the limits of a tenant, and checks them as they are then; undefined where there are none. `change` may be called
 * again with what another has written; what it returns unchanged is written only where a step was reached.
 */
export async function changeLimits(
  { ledgers, limits, clock, ids }: LimitDeps,
  tenant: string,
  change: (before: Draft<SpendingLimitsRecord> | undefined) => Draft<SpendingLimitsRecord> | undefined,
): Promise<SpendingLimitsRecord | undefined> {
  for (;;) {
    const before = await limits.get(tenant, LIMITS_ID)
    const changed = change(before)
    if (changed === undefined) return before
    const now = clock.now()
    const month = monthOf(now)
    const months = (await ledgers.get(tenant, LEDGER_ID))?.months ?? []
    const spentOn = (family: Parameters<typeof spentOf>[2]) => spentOf(months, month, family, tenant.endsWith('/test'))
    const { after, reached } = afterSpending(changed, month, spentOn)
    if (before !== undefined && changed === before && reached.length === 0) return before
    const events = reached.map((each, n) =>
      limitEvent(tenant, month, each, { ids, now, resourceVersion: changed.resource_version + n + 1 }),
    )
    const kind = before ? ({ kind: 'replace', version: before.version } as const) : ({ kind: 'insert' } as const)
    const result = await limits.write({ ...kind, document: after, events })
    if (result.kind === 'written') return { ...after, version: result.version }
  }
}
