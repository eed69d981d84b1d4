/** What is asked of the cluster about topics and groups. Each call has a connection of its own: they are rare. */
import { retry, systemClock } from '@millhand/process'
import type { Admin } from 'kafkajs'
import type { Progress } from '../event-log.ts'
import { type Connecting, createClient, type Patience } from './client.ts'
import { Offsets } from './offsets.ts'
import { orEnded, pause, retryMs } from './retry.ts'

export interface Topic {
  readonly name: string
  readonly partitions: number
  /** How many brokers hold each partition. With 3 or more, all but one must be there for an event to be taken. */
  readonly replication: number
  readonly retentionMs: number
}

/** Callers try again themselves. */
const PATIENCE: Patience = { retries: 3, requestTimeoutMs: 5000 }
/** How often it is asked whether all leaders are there. */
const LEADERS_MS = 50

/** Rejects as soon as the signal ends. */
export async function withAdmin<T>(
  connecting: Connecting,
  signal: AbortSignal,
  use: (admin: Admin) => Promise<T>,
  patience = PATIENCE,
): Promise<T> {
  signal.throwIfAborted()
  const client = createClient(connecting, patience)
  const admin = client.kafka.admin()
  try {
    return await orEnded(
      admin.connect().then(() => use(admin)),
      signal,
    )
  } finally {
    client.cut()
  }
}

/** See `KafkaEventLog.ensureTopics`; the names are those in Kafka. */
export async function ensureTopics(
  connecting: Connecting,
  topics: readonly Topic[],
  signal: AbortSignal,
): Promise<void> {
  const make = async () => {
    await withAdmin(connecting, signal, admin => makeMissing(admin, topics))
    const found = await withAdmin(connecting, signal, admin => withLeaders(admin, topics, signal))
    for (const { name, partitions } of topics) {
      const there = found.get(name)
      if (there !== partitions) connecting.log.warn('kafka.partitions_differ', { topic: name, partitions, there })
    }
  }
  const onFailure = (error: unknown) =>
    connecting.log.warn('kafka.topics_not_made', { topics: topics.map(({ name }) => name), error })
  await retry(make, { clock: systemClock, waitMs: retryMs, signal, onFailure })
}

async function makeMissing(admin: Admin, topics: readonly Topic[]): Promise<void> {
  const there = new Set(await admin.listTopics())
  const missing = topics.filter(({ name }) => !there.has(name))
  if (missing.length === 0) return
  await admin.createTopics({
    waitForLeaders: false, // It waits for what has no leader, but takes a topic that is not known yet for an error.
    topics: missing.map(({ name, partitions, replication, retentionMs }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor: replication,
      configEntries: [
        { name: 'retention.ms', value: String(retentionMs) },
        { name: 'min.insync.replicas', value: String(Math.max(1, replication - 1)) },
        // Brokers refuse a producer's time that is over an hour ahead of theirs; an event's own is in `ce_time`.
        { name: 'message.timestamp.type', value: 'LogAppendTime' },
      ],
    })),
  })
}

/** How many partitions each topic has, once all of them have a leader. */
async function withLeaders(
  admin: Admin,
  topics: readonly Topic[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  for (;;) {
    const metadata = await admin.fetchTopicMetadata({ topics: topics.map(({ name }) => name) })
    const partitions = metadata.topics.flatMap(({ partitions }) => partitions)
    if (partitions.every(({ leader }) => leader >= 0)) {
      return new Map(metadata.topics.map(({ name, partitions }) => [name, partitions.length]))
    }
    await pause(LEADERS_MS, signal)
    signal.throwIfAborted()
  }
}

/** Those of the topics that are there. */
export async function existing(
  connecting: Connecting,
  topics: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  return await withAdmin(connecting, signal, admin => thereOf(admin, topics))
}

async function thereOf(admin: Admin, topics: readonly string[]): Promise<readonly string[]> {
  const there = new Set(await admin.listTopics())
  return topics.filter(topic => there.has(topic))
}

/**
 * The offsets that part the older events from those that came at `time` (milliseconds since 1970) or later, by the
 * brokers' clocks. Where ours is behind, some more of the old ones show; where it is ahead, what came while the
 * question was on its way does not. What comes after it was asked is new in any case.
 */
export async function offsetsAt(
  connecting: Connecting,
  topics: readonly string[],
  time: number,
  signal: AbortSignal,
): Promise<Offsets> {
  return await withAdmin(connecting, signal, async admin => {
    const offsets = new Offsets()
    // One that is made later is new from its beginning.
    for (const topic of await thereOf(admin, topics)) {
      const ends = await admin.fetchTopicOffsets(topic)
      const since = await admin.fetchTopicOffsetsByTimestamp(topic, time)
      for (const { partition, high } of ends) {
        const first = since.find(one => one.partition === partition)?.offset ?? high
        offsets.set({ topic, partition }, Math.min(Number(high), Number(first)))
      }
    }
    return offsets
  })
}

/** How far who is at the offsets has read; at the end where there are none. */
export async function progressOf(
  connecting: Connecting,
  topics: readonly string[],
  offsets: Offsets | undefined,
  signal: AbortSignal,
): Promise<Progress> {
  return await withAdmin(connecting, signal, async admin => {
    const there = await thereOf(admin, topics)
    const watermarks = await Promise.all(
      there.map(async topic => [topic, await admin.fetchTopicOffsets(topic)] as const),
    )
    let [read, end] = [0, 0]
    for (const [topic, partitions] of watermarks) {
      for (const { partition, high, low } of partitions) {
        const next = offsets ? (offsets.get({ topic, partition }) ?? 0) : Number(high)
        read += Math.min(Math.max(next, Number(low)), Number(high))
        end += Number(high)
      }
    }
    return { read, end }
  })
}
