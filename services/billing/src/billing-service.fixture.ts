/** Billing on a store of a test, which has the clock and the event log in its hands. */
import assert from 'node:assert/strict'
import { type Client, createClient, createContextValues } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { LedgerService } from '@millhand/api/gen/millhand/billing/v1/ledger_service_pb.ts'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import type { EventLog, LoggedEvent } from '@millhand/eventlog'
import { loadPlans } from '@millhand/plans'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import type { Database } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { createBillingService } from './billing.ts'

const DAY_MS = 86_400_000
export const NOVEMBER = Date.UTC(2026, 10)

export interface BillingUnderTest {
  /** At the beginning of November 2026. */
  readonly clock: ManualClock
  readonly billing: Client<typeof BillingService>
  readonly ledgers: Client<typeof LedgerService>
  readonly workforceUsage: Client<typeof WorkforceUsageService>
  /** Gives events to a consumer group, and resolves when it is done with them. */
  hear(group: string, ...events: LoggedEvent[]): Promise<void>
  stop(): Promise<void>
}

export function startBilling(db: Database): BillingUnderTest {
  const clock = manualClock(NOVEMBER)
  const handlers = new Map<string, (events: readonly LoggedEvent[]) => Promise<void>>()
  const events: Pick<EventLog, 'subscribe'> = {
    async subscribe(group, _topics, handler, signal) {
      handlers.set(group, handler)
      if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
    },
  }
  const service = createBillingService({
    ...{ db, events, clock, plans: loadPlans(), cursors: createCursors(new Uint8Array(32)) },
    ...{ log: createLog({ level: 'error' }), entriesKeptMs: 400 * DAY_MS, graceMs: 3 * DAY_MS },
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const ending = new AbortController()
  const running = service.run(ending.signal)
  return {
    clock,
    billing: createClient(BillingService, transport),
    ledgers: createClient(LedgerService, transport),
    workforceUsage: createClient(WorkforceUsageService, transport),
    async hear(group, ...events) {
      // It reads the prices that were in force before it subscribes.
      const deadline = performance.now() + 120_000
      for (; !handlers.has(group); await new Promise(resolve => setImmediate(resolve)))
        assert.ok(performance.now() < deadline, 'it runs')
      await handlers.get(group)?.(events)
    },
    async stop() {
      ending.abort()
      await running
    },
  }
}

/** Calls of an account. */
export const as = (accountId: string, mode: 'live' | 'test' = 'live') => ({
  contextValues: createContextValues().set(principalKey, {
    ...{ accountId, mode, tenant: `${accountId}/${mode}`, scopes: new Set(['*']), keyId: 'key_a' },
    plans: { compute: 'starter', developer: 'pro', workforce: 'starter' },
  }),
})
