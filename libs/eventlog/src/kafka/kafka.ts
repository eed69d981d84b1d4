/** The event log in Apache Kafka. Here an outbox relay appends with `publish`; readers are consumer groups. */
import { retry, systemClock } from '@millhand/process'
import type { OutboxEvent } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import type { EventLog } from '../event-log.ts'
import type { Connecting, KafkaSecurity } from './client.ts'
import { lagOf } from './lag.ts'
import { Offsets } from './offsets.ts'
import { createEventProducer } from './producer.ts'
import { createPublisher } from './publisher.ts'
import { retryMs } from './retry.ts'
import { subscribe } from './subscribe.ts'
import { tail } from './tail.ts'
import { ensureTopics, offsetsAt, progressOf, type Topic, withAdmin } from './topics.ts'

export type { KafkaSecurity } from './client.ts'
export type { Topic } from './topics.ts'

export interface KafkaOptions {
  /** `host:port` of some brokers; the others are learned from them. */
  readonly brokers: readonly string[]
  readonly clientId: string
  /** Put before the name of every topic and group: several deployments on one cluster. */
  readonly prefix?: string
  /** Without it everything goes in the clear, and as nobody. */
  readonly security?: KafkaSecurity
  readonly log: Log
}

export interface KafkaEventLog extends EventLog {
  /**
   * Appends events in order; resolves when all in-sync replicas have them. One send is in flight at a time; calls
   * that come meanwhile queue up and go together. Rejects when the broker did not take them: then some may have been
   * taken, and calls that were queued behind are rejected too, so that none of them overtakes. Rejects with
   * `EventsRefused` when it has taken all but those that it never will.
   */
  publish(events: readonly OutboxEvent[]): Promise<void>
  /**
   * Makes the topics that are missing and resolves once each has all its leaders; repeats with backoff until then, and
   * rejects with the signal's reason when that ends. Does not change existing ones, but logs where partitions differ.
   */
  ensureTopics(topics: readonly Topic[], signal: AbortSignal): Promise<void>
  /**
   * How many events each group that is read here has not looked at, by the broker's count. Rejects where no broker has answered
   * within 2 s.
   */
  groupsBehind(): Promise<ReadonlyMap<string, number>>
  /** Resolves when a broker has answered; rejects after 2 s without. */
  ping(): Promise<void>
  /** Ends what reads, waits up to 2 s for what is being published, and disconnects. */
  close(): Promise<void>
}

/** Only one try, soon over. */
const PING = { retries: 0, requestTimeoutMs: 1000 }
const PING_MS = 2000
const PROGRESS_MS = 5000
const LAG_MS = 2000
const CLOSE_MS = 2000

/** Connects when it is first used, and reconnects for ever. */
export function openKafka(options: KafkaOptions): KafkaEventLog {
  const { log, prefix = '' } = options
  const connecting: Connecting = options
  const nameOf = (topic: string) => prefix + topic
  const sender = createEventProducer(connecting, signal => withAdmin(connecting, signal, admin => admin.listTopics()))
  const publisher = createPublisher(sender, nameOf, log)
  const closing = new AbortController()
  const reading = new Set<Promise<unknown>>()
  /** The groups that are read here, by their names in Kafka. */
  const groups = new Map<string, readonly string[]>()

  const until = (signal: AbortSignal) => AbortSignal.any([signal, closing.signal])
  /** Takes note of the work, for `close` to wait for. */
  async function owned<T>(work: Promise<T>): Promise<T> {
    reading.add(work)
    try {
      return await work
    } finally {
      reading.delete(work)
    }
  }

  /** The offsets of a tail that begins at the end, as that was at `time`, when this log itself had `published`. */
  async function endAt(time: number, published: Offsets, topics: readonly string[], signal: AbortSignal) {
    if (signal.aborted) return
    const read = async () => (await offsetsAt(connecting, topics, time, signal)).atLeast(published)
    const onFailure = (error: unknown) => log.warn('kafka.reading_failed', { topics, error })
    return await retry(read, { clock: systemClock, waitMs: retryMs, signal, onFailure }).catch(() => undefined)
  }

  return {
    publish: publisher.publish,
    async subscribe(group, topics, handler, signal) {
      const names = topics.map(nameOf)
      groups.set(nameOf(group), names)
      try {
        await owned(subscribe(connecting, prefix, nameOf(group), names, handler, until(signal)))
      } finally {
        if (groups.get(nameOf(group)) === names) groups.delete(nameOf(group))
      }
    },
    tail(topics, from, signal, isUrgent = () => false) {
      const names = topics.map(nameOf)
      const stopped = until(signal)
      const called = Date.now()
      const published = publisher.acknowledged.copy()
      const offsets = from === 'beginning' ? new Offsets() : from === 'end' ? undefined : Offsets.parse(from)
      const startAt = async () => offsets ?? (await endAt(called, published, names, stopped))
      return tail(connecting, { prefix, topics: names, startAt, isUrgent, owned }, stopped)
    },
    async progress(topics, position) {
      const offsets =
        position === 'beginning' ? new Offsets() : position === 'end' ? undefined : Offsets.parse(position)
      return await progressOf(connecting, topics.map(nameOf), offsets, AbortSignal.timeout(PROGRESS_MS))
    },
    async groupsBehind() {
      const lags = await lagOf(connecting, groups, until(AbortSignal.timeout(LAG_MS)))
      return new Map([...lags].map(([group, lag]) => [group.slice(prefix.length), lag]))
    },
    async ensureTopics(topics, signal) {
      const named = topics.map(topic => ({ ...topic, name: nameOf(topic.name) }))
      await ensureTopics(connecting, named, until(signal))
    },
    async ping() {
      await withAdmin(connecting, AbortSignal.timeout(PING_MS), admin => admin.describeCluster(), PING)
    },
    async close() {
      closing.abort(new Error('the event log is closed'))
      const late = setTimeout(() => sender.close(), CLOSE_MS)
      await publisher.close()
      clearTimeout(late)
      sender.close()
      await Promise.allSettled(reading)
    },
  }
}
