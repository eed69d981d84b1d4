/** All that a server has written anywhere: what it said, its documents and its events. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kafka, logLevel } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { deploymentName } from './deployment-name.ts'
import type { Server } from './server.ts'

export interface Written {
  /** Where, for example `document in api_keys`. */
  readonly place: string
  readonly text: string
}

/** Of a server that has stopped; also of one on the broker and the database server of the distributed suite. */
export async function writtenBy({ dataDir, logs }: Server): Promise<Written[]> {
  const { stdout, stderr } = logs()
  const { TEST_KAFKA, TEST_MONGO } = process.env
  return [
    { place: 'standard output', text: stdout },
    { place: 'standard error', text: stderr },
    ...files(dataDir),
    ...rows(join(dataDir, 'millhand.db')),
    ...(TEST_MONGO ? await documents(TEST_MONGO, deploymentName(dataDir)) : []),
    ...(TEST_KAFKA ? await records(TEST_KAFKA, deploymentName(dataDir)) : []),
  ]
}

/** Byte for byte, but for the database, whose rows are told one by one. */
function files(dataDir: string): Written[] {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.startsWith('millhand.db'))
    .map(({ name, parentPath }) => ({
      place: `file ${name}`,
      text: readFileSync(join(parentPath, name), 'latin1'),
    }))
}

function rows(file: string): Written[] {
  if (!existsSync(file)) return []
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return tables.flatMap(({ name }) =>
      db
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .map(row => ({ place: `document in ${name}`, text: Object.values(row).map(textOf).join('\n') })),
    )
  } finally {
    db.close()
  }
}

const textOf = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value))

async function documents(address: string, database: string): Promise<Written[]> {
  const client = await MongoClient.connect(`mongodb://${address}`)
  try {
    const db = client.db(database)
    const found: Written[] = []
    for (const { name } of await db.listCollections().toArray()) {
      for (const each of await db.collection(name).find().toArray()) {
        found.push({ place: `document in ${name}`, text: JSON.stringify(each, bytesAsText) })
      }
    }
    return found
  } finally {
    await client.close()
  }
}

/** What the driver has of binary values is base64 in JSON. */
function bytesAsText(this: Record<string, unknown>, name: string, shown: unknown): unknown {
  const value = this[name]
  const isBinary = typeof value === 'object' && value !== null && '_bsontype' in value && value._bsontype === 'Binary'
  return isBinary ? Buffer.from(String(shown), 'base64').toString('latin1') : shown
}

async function records(broker: string, prefix: string): Promise<Written[]> {
  const kafka = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  const consumer = kafka.consumer({ groupId: `${prefix}.written` })
  try {
    await Promise.all([admin.connect(), consumer.connect()])
    const topics = (await admin.listTopics()).filter(topic => topic.startsWith(`${prefix}.`))
    const ends = await Promise.all(topics.map(topic => admin.fetchTopicOffsets(topic)))
    let left = ends.flat().reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0)
    const found: Written[] = []
    if (left === 0) return found
    await consumer.subscribe({ topics, fromBeginning: true })
    await new Promise<void>((resolve, reject) => {
      const eachMessage = async ({
        topic,
        message,
      }: {
        topic: string
        message: { value: unknown; headers?: object }
      }) => {
        const headers = Object.values(message.headers ?? {}).map(String)
        found.push({ place: `event in ${topic}`, text: [message.value, ...headers].map(String).join('\n') })
        left--
        if (left === 0) resolve()
      }
      consumer.run({ eachMessage }).catch(reject)
    })
    return found
  } finally {
    await Promise.all([consumer.disconnect(), admin.disconnect()])
  }
}
