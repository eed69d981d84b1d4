/** Tells metrics what readers of a log take of this process. */
import { type Metrics, metricSpecs } from '@millhand/telemetry'
import type { EventLog, LoggedEvent } from './event-log.ts'

/** The groups that are counted, and the one service that reads with `tail`. */
export const readerNames = metricSpecs.millhand_event_reader_events_total.labels.reader

type ReaderName = (typeof readerNames)[number]

/** A log whose readers are counted: events, and the time from when a batch is handed out until it is done with. */
export function withReaderMetrics<Log extends EventLog>(
  log: Log,
  metrics: Pick<Metrics, 'counter' | 'histogram'>,
  now: () => number = () => performance.now(),
  time: () => number = Date.now,
): Log {
  const countEvents = metrics.counter('millhand_event_reader_events_total')
  const countSeconds = metrics.counter('millhand_event_reader_seconds_total')
  const recordDelay = metrics.histogram('millhand_event_reader_delay_seconds')
  const count = (reader: ReaderName, events: readonly LoggedEvent[], since: number) => {
    countEvents({ reader }, events.length)
    const [oldest] = events
    if (oldest !== undefined) recordDelay({ reader }, Math.max(0, time() - oldest.time) / 1000)
    countSeconds({ reader }, (now() - since) / 1000)
  }
  return {
    ...log,
    async subscribe(group, topics, handler, signal) {
      const reader = readerNames.find(name => name === group)
      if (reader === undefined) return await log.subscribe(group, topics, handler, signal)
      const counted: typeof handler = async events => {
        const since = now()
        try {
          await handler(events)
        } finally {
          count(reader, events, since)
        }
      }
      await log.subscribe(group, topics, counted, signal)
    },
    tail(topics, from, signal, isUrgent) {
      return counted(log.tail(topics, from, signal, isUrgent), (events, since) => count('webhook', events, since), now)
    },
  }
}

/** Tells metrics how many events readers have not looked at, until the returned call. */
export function observeBehind(
  metrics: Pick<Metrics, 'observe'>,
  groupsBehind: () => ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>,
): () => void {
  const name = 'millhand_event_reader_behind_events'
  return metrics.observe(async () => {
    const behind = await groupsBehind()
    const readers = readerNames.filter(reader => behind.has(reader))
    return readers.map(reader => ({ name, labels: { reader }, value: behind.get(reader) ?? 0 }))
  })
}

/** A batch is done with when the next one is asked for, or none is any more. */
async function* counted<Event>(
  batches: AsyncIterable<readonly Event[]>,
  count: (events: readonly Event[], since: number) => void,
  now: () => number,
) {
  for await (const batch of batches) {
    const since = now()
    try {
      yield batch
    } finally {
      count(batch, since)
    }
  }
}
