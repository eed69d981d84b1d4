/** Makes entries of the events of tasks that have ended. */
import type { LoggedEvent } from '@millhand/eventlog'
import type { Clock } from '@millhand/process'
import type { Draft } from '@millhand/store'
import { type Log, traceIds } from '@millhand/telemetry'
import { charging } from './charge-spans.ts'
import type { EntryOf } from './task-event.ts'
import type { Entries, EntryRecord } from './usage-entry.ts'
import { type Hours, hourId, hourOf, newHour, withEntry } from './usage-hour.ts'

export interface UsageConsumerDeps {
  readonly entries: Pick<Entries, 'write'>
  readonly hours: Hours
  readonly clock: Clock
  readonly log: Log
  /** What is counted of an event. */
  readonly entryOf: EntryOf
  /** Posts entries to their ledgers, each once for ever. Resolves when they are stored. */
  readonly post: (entries: readonly Draft<EntryRecord>[]) => Promise<void>
  /** Hears how many entries an hour has got. */
  readonly onCounted: (tenant: string, hour: number, entries: number) => void
}

/**
 * Counts the tasks whose end is among the events, each once for ever, whatever comes again, late or in another order.
 * Rejects when the store fails; what was counted until then is not counted again.
 *
 * First the entries, then their hours: an hour that is being summed without an entry hears of it before the event is
 * done with, also when the entry was there before and it was its hour that could not be told.
 */
export const consumeTaskEvents = (deps: UsageConsumerDeps) => async (events: readonly LoggedEvent[]) => {
  const read = events.flatMap(event => readable(event, deps) ?? [])
  const ended = read.map(({ entry }) => entry)
  const charged = read.map(({ event }) => event)
  await charging(charged, deps.post(ended))
  const hours = Map.groupBy(ended, ({ tenant, finished_at }) => `${tenant}/${hourOf(finished_at)}`)
  await Promise.all([...hours.values()].map(entries => tellHour(deps, entries)))
}

/**
 * An event that can't be read must not hold up all others for ever: the log tells of it. Its task is counted all the same,
 * unless nobody can tell which it is or when it ended.
 */
function readable(
  event: LoggedEvent,
  { entryOf, log }: Pick<UsageConsumerDeps, 'entryOf' | 'log'>,
): { readonly entry: Draft<EntryRecord>; readonly event: LoggedEvent } | undefined {
  const ids = () => ({ event_id: event.id, task_id: event.key, ...traceIds(event.traceparent) })
  try {
    const read = entryOf(event)
    if (read && read.unreadable.length > 0)
      log.error('usage.quantity_unreadable', { ...ids(), fields: read.unreadable })
    return read && { entry: read.entry, event }
  } catch (error) {
    log.error('usage.event_unreadable', { ...ids(), error })
    return undefined
  }
}

/** The entries are of one tenant and hour. */
async function tellHour(deps: UsageConsumerDeps, entries: readonly Draft<EntryRecord>[]): Promise<void> {
  const { hours, clock, onCounted } = deps
  const [earliest] = entries.toSorted((a, b) => a.finished_at - b.finished_at)
  if (earliest === undefined) return
  const { tenant, finished_at } = earliest
  const start = hourOf(finished_at)
  for (;;) {
    const hour = await hours.get(tenant, hourId(start))
    const after = hour ? withEntry(hour, finished_at, clock.now()) : newHour(tenant, start, clock.now())
    if (after === 'too_late') return await forget(deps, entries, tenant, start)
    if (after !== 'unchanged') {
      const change = hour ? { kind: 'replace' as const, version: hour.version } : { kind: 'insert' as const }
      const { kind } = await hours.write({ ...change, document: after, events: [] })
      if (kind === 'conflict') continue
    }
    return onCounted(tenant, start, entries.length)
  }
}

/** Nobody can tell any more whether these were counted before. */
async function forget(
  { entries, log }: UsageConsumerDeps,
  late: readonly Draft<EntryRecord>[],
  tenant: string,
  start: number,
): Promise<void> {
  for (const { id } of late) await entries.write({ kind: 'remove', version: 1, tenant, id, events: [] })
  log.warn('usage.hour_is_closed', { tenant, hour: hourId(start), tasks: late.length })
}
