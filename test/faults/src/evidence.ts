/** What the store and the topic hold, read by ordinary clients of theirs, past the product and past all links. */
import { setTimeout as pause } from 'node:timers/promises'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { Wire } from '@millhand/test-e2e/http'
import { Kafka, logLevel } from 'kafkajs'
import { type Db, MongoClient } from 'mongodb'
import type { Message } from './deduplication.ts'
import type { Final } from './history-checks.ts'

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
    const found = await Promise.all(
      ['tasks', 'workforce_tasks'].map(name => db.collection(name).find(query).limit(1_000).toArray()),
    )
    return found.flat().map(({ body, outbox }) => `${body} with ${outbox.length} events in its outbox`)
  })
}

/** Every task of compute as the store has it, and what is left in outboxes, in words. */
export const readStore = (database: string): Promise<{ finals: Final[]; leftovers: string[] }> =>
  readTasks(database, 'tasks', body => finalOf(body, ({ digit }) => digit))

/** A task as the store has it; `answerOf` is of its output. */
export function finalOf(body: string, answerOf: (output: Wire) => number | undefined): Final {
  const { id, status, resource_version: version, attempt, returns, output } = JSON.parse(body)
  const answer = output === undefined ? undefined : answerOf(JSON.parse(output))
  return { id, status, version, attempt: attempt - returns, answer }
}

/** Every document of a collection of tasks, and what is left in its outboxes, in words. */
export function readTasks<T>(
  database: string,
  collection: 'tasks' | 'workforce_tasks',
  read: (body: string) => T,
): Promise<{ finals: T[]; leftovers: string[] }> {
  return withDatabase(database, async db => {
    const documents = await db.collection(collection).find({}).toArray()
    const finals = documents.map(({ body }) => read(body))
    const leftovers = documents.flatMap(({ _id, outbox, outbox_pending }) =>
      outbox.length > 0 || outbox_pending !== 0 ? [`${_id}: ${outbox.length} events are left in its outbox`] : [],
    )
    return { finals, leftovers }
  })
}

/** What a collection holds, as JSON text. */
export const readBodies = (database: string, collection: string): Promise<string[]> =>
  withDatabase(database, async db => (await db.collection(collection).find({}).toArray()).map(({ body }) => body))

async function withDatabase<T>(url: string, use: (db: Db) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 3_000, socketTimeoutMS: 20_000 })
  try {
    return await use(client.db())
  } finally {
    await client.close()
  }
}

/** The events of tasks from the first on, in the order of their partitions: those of compute, or of another kind too. */
export async function readTopic(
  brokers: string,
  topics: readonly string[] = [publicTopics.tasks.name],
): Promise<Message[]> {
  return (await readTopics(brokers, topics)).map(({ key, id, content, partition, takenAt }) => {
    const { type: told, resource_version: version, data } = JSON.parse(content)
    const type = told.replace(/^workforce\./, '')
    const { status, attempt = 0, cost } = data.object
    return {
      event: { id, task: key, type, status, version, attempt, ...(cost && { cost: cost.amount }) },
      content,
      partition,
      takenAt,
    }
  })
}

/** What a topic holds, whatever it is about. */
export interface Entry extends Pick<Message, 'content' | 'partition' | 'takenAt'> {
  readonly key: string
  /** The event's, of its header. */
  readonly id: string
}

/** After a storm the machine is still busy: a connection takes longer than the second that is the default. */
const PATIENT = { connectionTimeout: 30_000, requestTimeout: 60_000 }

/** These topics from their beginnings, each in the order of its partitions. */
export async function readTopics(brokers: string, topics: readonly string[]): Promise<Entry[]> {
  const kafka = new Kafka({ brokers: [brokers], clientId: 'faults', logLevel: logLevel.NOTHING, ...PATIENT })
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
