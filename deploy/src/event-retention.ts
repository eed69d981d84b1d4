/** How long the one process keeps the events of its log. */
import { trimLog } from '@millhand/eventlog/sqlite'
import { type Clock, everyInterval } from '@millhand/runner'
import type { SqliteDatabase } from '@millhand/store/sqlite'
import type { Log } from '@millhand/telemetry'

export interface EventRetention {
  readonly db: SqliteDatabase
  readonly retentionMs: number
  /** Where those are that read the log by `tail`, by name: what they have not read stays. */
  readonly tails: () => Promise<Readonly<Record<string, string>>>
  readonly clock: Clock
  readonly log: Log
}

/**
 * At once and every hour until the signal ends: events are kept as long as the tasks that they are about, and until all
 * have read them.
 */
export async function trimEvents(options: EventRetention, signal: AbortSignal): Promise<void> {
  const { db, retentionMs, tails, clock, log } = options
  await everyInterval(clock, EVERY_MS, signal, async () => {
    try {
      const { events, heldBy } = await trimLog(db, { before: clock.now() - retentionMs, tails: await tails() })
      if (events > 0) log.info('events.trimmed', { events })
      if (heldBy.length > 0) log.error('events.held_back', { held_by: heldBy })
    } catch (error) {
      log.error('events.trim_failed', { error })
    }
  })
}

const EVERY_MS = 3_600_000
