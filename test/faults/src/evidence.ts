/** What the store and the topic hold, read by ordinary clients of theirs, past the product and past all links. */
import { setTimeout as pause } from 'node:timers/promises'
import { Kafka, logLevel } from 'kafkajs'
import { type Db, MongoClient } from 'mongodb'
import type { Final } from './history.ts'
import type { Message } from './repeats.ts'

const TOPIC = 'millhand.tasks.v1'

/** The address of the replica of compute that owns the queues, as the database has it. */
export function ownerAddress(database: string): Promise<string | undefined> {
  return withDatabase(database, async db => {
    const owners = await db.collection('owners').find({}, { maxTimeMS: 2_000 }).toArray()
    return owners.map(({ body }) => JSON.parse(body)).find(({ id }) => id === 'compute')?.address
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
  const kafka = new Kafka({ brokers: [brokers], clientId: 'faults', logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  const ends = await admin.fetchTopicOffsets(TOPIC)
  await admin.disconnect()
  const left = new Map(ends.flatMap(({ partition, high }) => (Number(high) > 0 ? [[partition, Number(high)]] : [])))
  const messages: Message[] = []
  if (left.size === 0) return messages

  const consumer = kafka.consumer({ groupId: `faults-${crypto.randomUUID()}` })
  await consumer.connect()
  await consumer.subscribe({ topic: TOPIC, fromBeginning: true })
  const whole = Promise.withResolvers<void>()
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      for (const { key, value, headers, timestamp } of batch.messages) {
        const content = String(value)
        const { type, resource_version: version, data } = JSON.parse(content)
        const { status, attempt = 0 } = data.object
        const event = { id: String(headers?.ce_id), task: String(key), type, status, version, attempt }
        messages.push({ event, content, partition: batch.partition, takenAt: Number(timestamp) })
      }
      if (Number(batch.lastOffset()) + 1 >= (left.get(batch.partition) ?? 0)) left.delete(batch.partition)
      if (left.size === 0) whole.resolve()
    },
  })
  await whole.promise
  await consumer.disconnect()
  return messages
}
