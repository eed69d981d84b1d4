/** Billing: what accounts use. It knows what the events of tasks say, and asks nobody. */
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
import type { EventLog } from '@millhand/eventlog'
import type { Routes } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import type { Database } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { getUsage } from './rpc/get-usage.ts'
import { countTasks } from './usage/counting.ts'
import { type Entries, type EntryRecord, entriesSpec } from './usage/entry.ts'
import { type HourRecord, type Hours, hoursSpec } from './usage/hour.ts'
import { createSumming } from './usage/summing.ts'

export interface BillingOptions {
  readonly db: Database
  readonly events: Pick<EventLog, 'subscribe'>
  readonly clock: Clock
  readonly log: Log
  /** How long the entry of a task is kept after its hour was summed, in milliseconds. The sums stay. */
  readonly entriesKeptMs: number
}

/** What the methods work with. */
export interface BillingDeps {
  readonly entries: Entries
  readonly hours: Hours
  readonly clock: Clock
}

const tasksTopic = 'millhand.tasks.v1'
/** Where its place in the log is kept. */
const usageGroup = 'billing-usage'

export function createBillingService(options: BillingOptions) {
  const { db, events, clock, log } = options
  const entries = db.collection<EntryRecord, 'by_end'>(entriesSpec)
  const hours = db.collection<HourRecord, 'due'>(hoursSpec)
  const deps: BillingDeps = { entries, hours, clock }
  const summing = createSumming({ ...deps, log, keptMs: options.entriesKeptMs })
  const count = countTasks({ ...deps, log, onCounted: summing.counted })

  return {
    routes(router: Routes): void {
      router.service(UsageService, { getUsage: getUsage(deps) })
    },
    /** Hears of tasks and sums what they used, until the signal ends. Any number of processes may do so at once. */
    async run(signal: AbortSignal): Promise<void> {
      const counting = events.subscribe(
        usageGroup,
        [tasksTopic],
        batch =>
          count(batch).catch(error => {
            log.error('usage.counting_failed', { events: batch.length, error })
            throw error // It comes again.
          }),
        signal,
      )
      await Promise.all([counting, summing.run(signal)])
    },
  }
}
