/** A member of a consumer group that lives on over crashes of the consumer and absences of the broker. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Consumer, EachBatchPayload } from 'kafkajs'
import { type Connecting, createClient } from './client.ts'
import type { TopicPartition } from './offsets.ts'
import { METADATA_AGE_MS } from './producer.ts'
import { orEnded, pause, retryMs } from './retry.ts'
import { existing } from './topics.ts'

export interface GroupMember {
  readonly group: string
  readonly topics: readonly string[]
  /** Whether the group's offsets are committed. */
  readonly commits: boolean
  /** Where to begin in a partition that was assigned; undefined for the offset of the group, or a new group's beginning. */
  startOf(partition: TopicPartition): number | undefined
  /**
   * Takes what a fetch has brought: a batch for each of its partitions. One call at a time. What it resolves
   * (`resolveOffset`) is done and is committed after it, with one request; the rest comes again. `lost` ends when the
   * group may have given partitions to another. Resolves to how many milliseconds later the next fetch is: what comes
   * meanwhile comes together, for a fetch, a batch and a commit cost as much by themselves as some hundred events.
   */
  take(batches: readonly EachBatchPayload[], lost: AbortSignal): Promise<number>
}

/** A member that is silent for this long is thought dead. */
const SESSION_MS = 6000
const HEARTBEAT_MS = 500
/** How long a fetch stays with the broker while nothing comes, and so how long leaving may take. */
const FETCH_WAIT_MS = 500
/** Of so many partitions that have news, the batches of one fetch are taken together. */
const MOST_BATCHES = 16
/**
 * Some 28 s: a consumer that gives up is made anew, but as a new member, and a group that has lost one without a word
 * waits for it for a session.
 */
const PATIENCE = { retries: 60, requestTimeoutMs: 5000 }
/** How often it is asked for topics that are not there yet. */
const TOPICS_MS = 1000
/** How long leaving may take, from when no batch is being taken: the broker may be away. */
const LEAVE_MS = 2000

/**
 * Resolves when the signal has ended and the last batch is done. Of its topics it reads those there are, and joins anew
 * when more are: no reader waits for who makes another topic.
 */
export async function joinGroup(connecting: Connecting, membership: GroupMember, signal: AbortSignal): Promise<void> {
  const { group, topics } = membership
  let failures = 0
  while (!signal.aborted) {
    const appeared = new AbortController()
    try {
      const there = await existing(connecting, topics, signal)
      if (there.length < topics.length) {
        const missing = topics.filter(topic => !there.includes(topic))
        connecting.log.info('kafka.topics_missing', { group, topics: missing })
        void awaitMore(connecting, topics, there.length, appeared, signal)
      }
      if (there.length === 0) await orEnded(new Promise(() => {}), AbortSignal.any([signal, appeared.signal]))
      const life = { ...membership, topics: there }
      await oneLife(connecting, life, AbortSignal.any([signal, appeared.signal]), () => {
        if (failures > 0) connecting.log.info('kafka.reading_resumed', { group, topics, failures })
        failures = 0
      })
    } catch (error) {
      if (signal.aborted) return
      if (appeared.signal.aborted) continue
      failures += 1
      // The first tells of the outage; the others say the same.
      connecting.log[failures === 1 ? 'warn' : 'debug']('kafka.reading_failed', { group, topics, failures, error })
      await pause(retryMs(failures), signal)
    } finally {
      appeared.abort()
    }
  }
}

/** Tells when more of the topics are there than are known of, until it has told or is told to end. */
async function awaitMore(
  connecting: Connecting,
  topics: readonly string[],
  known: number,
  appeared: AbortController,
  signal: AbortSignal,
): Promise<void> {
  const ending = AbortSignal.any([signal, appeared.signal])
  while (!ending.aborted) {
    await pause(TOPICS_MS, ending)
    const there = await existing(connecting, topics, ending).catch(() => [])
    if (there.length > known) appeared.abort()
  }
}

/** Rejects when the consumer gives up, or the signal has ended and the group was left. */
async function oneLife(
  connecting: Connecting,
  membership: GroupMember,
  signal: AbortSignal,
  onJoined: () => void,
): Promise<never> {
  const client = createClient(connecting, PATIENCE)
  const consumer = client.kafka.consumer({
    groupId: membership.group,
    sessionTimeout: SESSION_MS,
    rebalanceTimeout: SESSION_MS,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: FETCH_WAIT_MS,
    minBytes: 1,
    metadataMaxAge: METADATA_AGE_MS,
    allowAutoTopicCreation: false,
  })
  const crash = crashOf(consumer)
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    onJoined()
    seekStarts(consumer, payload.memberAssignment, membership)
  })
  const fetched = new FetchedBatches(async batches => {
    if (!signal.aborted) await pause(await takeAlive(membership, batches), signal)
  })
  const started = start(consumer, membership, fetched)
  try {
    return await orEnded(
      started.then(() => crash),
      signal,
    )
  } finally {
    await fetched.taken()
    if (signal.aborted) {
      const late = setTimeout(() => client.cut(), LEAVE_MS)
      // A consumer that is stopped while it joins would join nevertheless, so it is only stopped after.
      const left = started.then(() => consumer.disconnect())
      await orEnded(left, client.gone).catch(() => undefined)
      clearTimeout(late)
    }
    client.cut()
  }
}

async function start(consumer: Consumer, { topics }: GroupMember, fetched: FetchedBatches): Promise<void> {
  await consumer.connect()
  await consumer.subscribe({ topics: [...topics], fromBeginning: true })
  await consumer.run({
    autoCommit: false, // It would commit after the batch of each partition.
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: MOST_BATCHES,
    eachBatch: payload => fetched.take(payload),
  })
}

/** Gathers what kafkajs hands out by partitions: what it hands out in one turn, or while others are taken, is taken together. */
class FetchedBatches {
  readonly #takeAll: (batches: readonly EachBatchPayload[]) => Promise<void>
  #waiting: EachBatchPayload[] = []
  #taking: Promise<void> = Promise.resolve()

  constructor(takeAll: (batches: readonly EachBatchPayload[]) => Promise<void>) {
    this.#takeAll = takeAll
  }

  /** Settles as the call does that takes it. */
  take(payload: EachBatchPayload): Promise<void> {
    this.#waiting.push(payload)
    if (this.#waiting.length === 1) this.#taking = this.#takeNext(this.taken())
    return this.#taking
  }

  /** Resolves when nothing is being taken any more, and nothing waits. */
  async taken(): Promise<void> {
    await this.#taking.catch(() => undefined)
  }

  async #takeNext(before: Promise<void>): Promise<void> {
    await before
    await turn()
    const batches = this.#waiting
    this.#waiting = []
    await this.#takeAll(batches)
  }
}

/** Takes the batches, with heartbeats meanwhile: kafkajs sends them only between batches. */
async function takeAlive(membership: GroupMember, batches: readonly EachBatchPayload[]): Promise<number> {
  const [one] = batches
  if (one === undefined) return 0
  const lost = new AbortController()
  const beating = setInterval(() => {
    one.heartbeat().catch(error => lost.abort(error))
  }, HEARTBEAT_MS)
  try {
    return await membership.take(batches, lost.signal)
  } finally {
    clearInterval(beating)
    if (membership.commits) await one.commitOffsetsIfNecessary(one.uncommittedOffsets())
  }
}

function seekStarts(consumer: Consumer, assigned: Record<string, number[]>, { startOf }: GroupMember): void {
  for (const [topic, partitions] of Object.entries(assigned)) {
    for (const partition of partitions) {
      const start = startOf({ topic, partition })
      if (start !== undefined) consumer.seek({ topic, partition, offset: String(start) })
    }
  }
}

/** Rejects when kafkajs gives up. */
function crashOf(consumer: Consumer): Promise<never> {
  const crash = Promise.withResolvers<never>()
  crash.promise.catch(() => undefined) // It may come when nobody waits for it any more.
  consumer.on(consumer.events.CRASH, ({ payload }) => crash.reject(payload.error))
  return crash.promise
}
