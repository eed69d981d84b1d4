/** How long the one process keeps the events of its log. */
import { trimLog } from '@millhand/eventlog/sqlite'
import { type Clock, everyInterval } from '@millhand/process'
import type { SqliteDatabase } from '@millhand/store/sqlite'
import type { Log } from '@millhand/telemetry'

export interface EventRetention {
  readonly db: SqliteDatabase
  readonly retentionMs: number
  /** Where those are that read the log by `tail`, by name: what they have not read stays. */
  readonly tails: () => Promise<Readonly<Record<string, string>>>
  /** What those and the groups of the log read, by name. */
  readonly topics: Readonly<Record<string, readonly string[]>>
  readonly clock: Clock
  readonly log: Log
}

/**
 * At once and every hour until the signal ends: events are kept as long as the tasks that they are about, and until all
 * have read them. A reader that has not is named from the second hour on: after a start it needs time to catch up.
 */
export async function trimEvents(options: EventRetention, signal: AbortSignal): Promise<void> {
  const { db, retentionMs, tails, topics, clock, log } = options
  let heldBefore: readonly string[] = []
  await dropUnknownGroups(db, Object.keys(topics), log)
  await everyInterval(clock, EVERY_MS, signal, async () => {
    try {
      const before = clock.now() - retentionMs
      const { events, heldBy } = await trimLog(db, { before, tails: await tails(), topics })
      if (events > 0) log.info('events.trimmed', { events })
      const heldStill = heldBy.filter(name => heldBefore.includes(name))
      heldBefore = heldBy
      if (heldStill.length > 0) log.error('events.held_back', { held_by: heldStill })
    } catch (error) {
      log.error('events.trim_failed', { error })
    }
  })
}

/** Groups that an earlier version read with would hold back the log for ever. */
async function dropUnknownGroups(db: SqliteDatabase, known: readonly string[], log: Log): Promise<void> {
  const sql = 'DELETE FROM event_subscriptions WHERE subscriber_group NOT IN (SELECT value FROM json_each(?))'
  await db.execute(sql, JSON.stringify(known)).catch(error => log.error('events.groups_kept', { error }))
}

const EVERY_MS = 3_600_000
