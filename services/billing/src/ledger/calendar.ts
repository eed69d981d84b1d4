/**
 * The time by which months close. A machine whose clock stands a month ahead must not close the months until then: an
 * invoice that is final stays so. What the calendar says is taken where it agrees with what was last seen of it and the time
 * that has passed since; docs/decisions/billing.md.
 */
import type { Clock } from '@millhand/process'
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'
import type { Log } from '@millhand/telemetry'

export interface CalendarRecord extends Document {
  /** The time at the latest look, in milliseconds since 1970. */
  readonly seen_at: number
  /** For how long, while billing ran, the machine's clock has been ahead of it. */
  readonly ahead_ms: number
}

export const calendarSpec = { name: 'billing_calendar', indexes: {} } as const satisfies CollectionSpec

const ID = 'calendar'
/** A clock that is ahead for so long while billing runs is right, and the machine was off. */
const BELIEVED_AFTER_MS = 86_400_000

interface CalendarDeps {
  readonly calendar: Pick<Collection<CalendarRecord>, 'get' | 'write'>
  readonly clock: Clock
  readonly log: Log
  /** A leap that is no longer than this is taken as it is: no month closes before it has ended by it. */
  readonly graceMs: number
}

/** Each call is a look at the clock, and resolves to the time that may be relied on. */
export function createCalendar({ calendar, clock, log, graceMs }: CalendarDeps): () => Promise<number> {
  let looked: number | undefined
  return async () => {
    const [now, monotonic] = [clock.now(), clock.monotonic()]
    const elapsed = looked === undefined ? 0 : monotonic - looked
    const before = await calendar.get(noAccount, ID)
    const seen = seenAt(before, now, elapsed, graceMs)
    const document = { tenant: noAccount, id: ID, ...seen }
    const kind = before ? ({ kind: 'replace', version: before.version } as const) : ({ kind: 'insert' } as const)
    if ((await calendar.write({ ...kind, document, events: [] })).kind === 'written') looked = monotonic
    if (seen.seen_at < now) {
      const fields = { clock: timeOf(now), relied_on: timeOf(seen.seen_at) }
      log.error('billing.clock_ahead', fields)
    }
    return seen.seen_at
  }
}

/** What is kept after a look; `elapsed` ms after the one before, 0 for the first of a process. */
function seenAt(
  before: Pick<CalendarRecord, 'seen_at' | 'ahead_ms'> | undefined,
  now: number,
  elapsed: number,
  graceMs: number,
): Pick<CalendarRecord, 'seen_at' | 'ahead_ms'> {
  if (before === undefined || now - before.seen_at - elapsed <= graceMs) return { seen_at: now, ahead_ms: 0 }
  const ahead_ms = before.ahead_ms + elapsed
  if (ahead_ms >= BELIEVED_AFTER_MS) return { seen_at: now, ahead_ms: 0 }
  return { seen_at: before.seen_at + elapsed, ahead_ms }
}

const timeOf = (ms: number) => new Date(ms).toISOString()
