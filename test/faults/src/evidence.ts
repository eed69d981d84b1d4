/** What the store and the topic hold, read by ordinary clients of theirs, past the product and past all links. */
import { setTimeout as pause } from 'node:timers/promises'
import { Kafka, logLevel } from 'kafkajs'
import { type Db, MongoClient } from 'mongodb'
import type { Final } from './history.ts'
import type { Message } from './repeats.ts'

const TOPIC = 'millhand.tasks.v1'

/** The address of the replica that owns what one of a service does, the queues of compute for example, as the database has it. */
export function ownerAddress(database: string, service = 'compute'): Promise<string | undefined> {
  return withDatabase(database, async db => {
    const owners = await db.collection('owners').find({}, { maxTimeMS: 2_000 }).toArray()
    return owners.map(({ body }) => JSON.parse(body)).find(({ id }) => id === service)?.address
  }).catch(() => undefined)
}

/** Resolves when every task has ended and every event is out; rejects with some that are not after `limitMs`. */
export async function allSettled(database: string, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const left = await unsettled(database)
    if (left.length === 0) return
    if (performance.now() > deadline)
      throw new Error(`after ${limitMs} ms ${left.length} are not settled: ${left.slice(0, 5).join(' | ')}`)
    await pause(300)
  }
}

function unsettled(database: string): Promise<string[]> {
  return withDatabase(database, async db => {
    const query = { $or: [{ status: { $in: ['queued', 'running', 'cancelling'] } }, { outbox_pending: 1 }] }
    const found = await db.collection('tasks').find(query).limit(1_000).toArray()
    return found.map(({ body, outbox }) => `${body} with ${outbox.length} events in its outbox`)
  })
}

/** Every task as the store has it, and what is left in outboxes, in words. */
export function readStore(database: string): Promise<{ finals: Final[]; leftovers: string[] }> {
  return withDatabase(database, async db => {
    const documents = await db.collection('tasks').find({}).toArray()
    const finals = documents.map(({ body }) => {
      const { id, status, resource_version: version, attempt, returns, output } = JSON.parse(body)
      const answer = output === undefined ? undefined : JSON.parse(output).digit
      return { id, status, version, attempt: attempt - returns, answer }
    })
    const leftovers = documents.flatMap(({ _id, outbox, outbox_pending }) =>
      outbox.length > 0 || outbox_pending !== 0 ? [`${_id}: ${outbox.length} events are left in its outbox`] : [],
    )
    return { finals, leftovers }
  })
}

async function withDatabase<T>(url: string, use: (db: Db) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 3_000, socketTimeoutMS: 20_000 })
  try {
    return await use(client.db())
  } finally {
    await client.close()
  }
}

/** The whole topic from its beginning, in the order of its partitions. */
export async function readTopic(brokers: string): Promise<Message[]> {
  return (await readTopics(brokers, [TOPIC])).map(({ key, id, content, partition, takenAt }) => {
    const { type, resource_version: version, data } = JSON.parse(content)
    const { status, attempt = 0 } = data.object
    return { event: { id, task: key, type, status, version, attempt }, content, partition, takenAt }
  })
}

/** What a topic holds, whatever it is about. */
export interface Entry extends Pick<Message, 'content' | 'partition' | 'takenAt'> {
  readonly key: string
  /** The event's, of its header. */
  readonly id: string
}

/** These topics from their beginnings, each in the order of its partitions. */
export async function readTopics(brokers: string, topics: readonly string[]): Promise<Entry[]> {
  const kafka = new Kafka({ brokers: [brokers], clientId: 'faults', logLevel: logLevel.NOTHING })
  const left = new Map<string, number>()
  const admin = kafka.admin()
  await admin.connect()
  for (const topic of topics) {
    for (const { partition, high } of await admin.fetchTopicOffsets(topic))
      if (Number(high) > 0) left.set(`${topic}/${partition}`, Number(high))
  }
  await admin.disconnect()
  const records: Entry[] = []
  if (left.size === 0) return records

  const consumer = kafka.consumer({ groupId: `faults-${crypto.randomUUID()}` })
  await consumer.connect()
  await consumer.subscribe({ topics: [...topics], fromBeginning: true })
  const whole = Promise.withResolvers<void>()
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      const { topic, partition, messages } = batch
      for (const { key, value, headers, timestamp } of messages) {
        const id = String(headers?.ce_id)
        records.push({ key: String(key), id, content: String(value), partition, takenAt: Number(timestamp) })
      }
      const place = `${topic}/${partition}`
      if (Number(batch.lastOffset()) + 1 >= (left.get(place) ?? 0)) left.delete(place)
      if (left.size === 0) whole.resolve()
    },
  })
  await whole.promise
  await consumer.disconnect()
  return records
}
