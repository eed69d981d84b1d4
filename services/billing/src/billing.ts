/** Billing: what accounts use. It knows what the events of tasks say, and asks nobody. */
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import type { EventLog } from '@millhand/eventlog'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { Clock } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import type { Database } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import type { BillingDeps } from './billing-deps.ts'
import { getUsage } from './rpc/get-usage.ts'
import { sumWorkforceTasks } from './rpc/sum-workforce-tasks.ts'
import { createHourlyRollup } from './usage/hourly-rollup.ts'
import { computeEntry, type EntryOf, workforceEntry } from './usage/task-event.ts'
import { consumeTaskEvents } from './usage/usage-consumer.ts'
import { type Entries, type EntryRecord, entriesSpec, workforceEntriesSpec } from './usage/usage-entry.ts'
import { type HourRecord, type Hours, hoursSpec, workforceHoursSpec } from './usage/usage-hour.ts'

export interface BillingOptions {
  readonly db: Database
  readonly events: Pick<EventLog, 'subscribe'>
  readonly clock: Clock
  readonly log: Log
  /** How long the entry of a task is kept after its hour was summed, in milliseconds. The sums stay. */
  readonly entriesKeptMs: number
}

export function createBillingService(options: BillingOptions) {
  const { db } = options
  const compute = counted(options, {
    entries: db.collection<EntryRecord, 'by_end'>(entriesSpec),
    hours: db.collection<HourRecord, 'due'>(hoursSpec),
    entryOf: computeEntry,
    topic: publicTopics.tasks.name,
    group: 'billing-usage',
  })
  const workforce = counted(options, {
    entries: db.collection<EntryRecord, 'by_end'>(workforceEntriesSpec),
    hours: db.collection<HourRecord, 'due'>(workforceHoursSpec),
    entryOf: workforceEntry,
    topic: publicTopics.workforce.name,
    group: 'billing-workforce-usage',
  })

  return {
    /** What its groups read of the event log, by their names. */
    topics: { ...compute.topics, ...workforce.topics },
    routes(router: Routes): void {
      router.service(UsageService, { getUsage: getUsage(compute.deps) })
      router.service(WorkforceUsageService, { sumWorkforceTasks: sumWorkforceTasks(workforce.deps) })
    },
    /** Hears of tasks and sums what they used, until the signal ends. Any number of processes may do so at once. */
    async run(signal: AbortSignal): Promise<void> {
      await Promise.all([compute.run(signal), workforce.run(signal)])
    },
  }
}

interface Counted {
  readonly entries: Entries
  readonly hours: Hours
  readonly entryOf: EntryOf
  readonly topic: string
  /** Where its place in the log is kept. */
  readonly group: string
}

/** The tasks of one topic, counted and summed. */
function counted({ events, clock, log, entriesKeptMs }: BillingOptions, kind: Counted) {
  const deps: BillingDeps = { entries: kind.entries, hours: kind.hours, clock }
  const summing = createHourlyRollup({ ...deps, log, keptMs: entriesKeptMs })
  const count = consumeTaskEvents({ ...deps, log, entryOf: kind.entryOf, onCounted: summing.counted })
  return {
    deps,
    topics: { [kind.group]: [kind.topic] },
    async run(signal: AbortSignal): Promise<void> {
      const counting = events.subscribe(
        kind.group,
        [kind.topic],
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
