/**
 * Writes the account's plans to its batches when they change: the tasks that are made next have them. A change is kept, too,
 * for a batch that is still being accepted: it has the plans of its request, and gets those that are kept at the owner's
 * first step.
 */
import { isDeepStrictEqual } from 'node:util'
import { families, type PlanNames } from '@millhand/api'
import type { LoggedEvent } from '@millhand/eventlog'
import type { Collection, CollectionSpec, Document } from '@millhand/store'
import { type Log, traceIds } from '@millhand/telemetry'
import { type BatchRecord, hasEnded } from './batch.ts'
import { type BatchStoreDeps, changeBatch } from './batch-store.ts'

/** The plans of the last change of an account. */
export interface ChangedPlans extends Document {
  readonly plans: PlanNames
  /** When it is removed, in milliseconds since 1970. */
  readonly due_at: number
}

export const changedPlansSpec = {
  name: 'batch_plans',
  indexes: { due: { fields: ['due_at'] } },
} as const satisfies CollectionSpec

export type ChangedPlansCollection = Collection<ChangedPlans, keyof typeof changedPlansSpec.indexes>

export interface PlanChangesDeps extends BatchStoreDeps {
  readonly changedPlans: ChangedPlansCollection
}

/** More than there are batches of a tenant that have not ended. */
const MOST_BATCHES = 1_000
/** Longer than a create takes, and than a batch waits for its first step: its window is at most 7 days. */
const KEPT_MS = 8 * 86_400_000
const ID = 'plans'

/** Keeps the plans in events of accounts, and writes them to the batches of each account that have not ended. Idempotent. */
export async function takePlans(deps: PlanChangesDeps, events: readonly LoggedEvent[], log: Log): Promise<void> {
  for (const [account, plans] of latestPlans(events, log))
    for (const tenant of [`${account}/live`, `${account}/test`]) {
      // In this order: a batch that is written after the list was read finds what is kept.
      await keep(deps, tenant, plans)
      const active = await deps.batches.find('active', { equals: [tenant], limit: MOST_BATCHES })
      for (const { id } of active) await setPlans(deps, tenant, id, plans)
    }
}

/** The batch, with the plans of the last change that is kept of its account. */
export async function withLastPlans(deps: PlanChangesDeps, batch: BatchRecord): Promise<BatchRecord> {
  const { tenant, id } = batch
  let now = batch
  let taken: number | undefined
  for (;;) {
    const kept = await deps.changedPlans.get(tenant, ID)
    // Again where another change came between: this one may have been written over it.
    if (kept === undefined || kept.version === taken) return now
    now = (await setPlans(deps, tenant, id, kept.plans)) ?? now
    taken = kept.version
  }
}

const setPlans = (deps: BatchStoreDeps, tenant: string, id: string, plans: PlanNames) =>
  changeBatch(deps, tenant, id, batch =>
    hasEnded(batch) || isDeepStrictEqual(batch.plans, plans) ? batch : { ...batch, plans },
  )

async function keep({ changedPlans, clock }: PlanChangesDeps, tenant: string, plans: PlanNames): Promise<void> {
  for (;;) {
    const before = await changedPlans.get(tenant, ID)
    const version = before?.version ?? 1
    const document: ChangedPlans = { tenant, id: ID, version, plans, due_at: clock.now() + KEPT_MS }
    const change = before ? ({ kind: 'replace', version } as const) : ({ kind: 'insert' } as const)
    if ((await changedPlans.write({ ...change, document, events: [] })).kind === 'written') return
  }
}

/** By account. An event that can't be read is logged and skipped. */
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
      log.error('batch.event_unreadable', {
        event_id: event.id,
        account_id: event.key,
        ...traceIds(event.traceparent),
        error,
      })
    }
  }
  return latest
}
