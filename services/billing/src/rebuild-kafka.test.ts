import { openKafka } from '@millhand/eventlog/kafka'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { javaMissing, startKafka, startMongo } from '@millhand/test-servers'
import { Kafka, logLevel } from 'kafkajs'
import { type Collection, MongoClient } from 'mongodb'
import { describeRebuild, documented } from './rebuild.contract.ts'
import { type HourRecord, hoursSpec } from './usage/usage-hour.ts'

const log = createLog({ level: 'error' })

describeRebuild(
  'kafka and mongo',
  async () => {
    const parts = new AsyncDisposableStack()
    const [kafka, mongo] = await Promise.all([startKafka(), startMongo()])
    parts.use(kafka)
    parts.use(mongo)
    const db = openMongo({ url: mongo.url('usage'), log })
    parts.defer(() => db.close())
    const events = openKafka({ brokers: [kafka.address], clientId: 'billing', log })
    parts.defer(() => events.close())
    const topic = { name: 'millhand.tasks.v1', partitions: 3, replication: 1, retentionMs: 2_592_000_000 }
    await events.ensureTopics([topic], new AbortController().signal)
    const client = new MongoClient(mongo.url('usage'))
    parts.defer(() => client.close())
    const collection = (name: string) => client.db().collection(name)
    const admin = new Kafka({ brokers: [kafka.address], logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
    parts.defer(() => admin.disconnect())
    return {
      db,
      events,
      append: events.publish,
      async drop() {
        const deleting: Promise<unknown>[] = []
        const deletes = (name: string) => ({
          deleteMany: (filter: Parameters<Collection['deleteMany']>[0]) =>
            deleting.push(collection(name).deleteMany(filter)),
        })
        const shell = { usage_hours: deletes('usage_hours') }
        new Function('db', documented('const since'))(shell)
        await Promise.all(deleting)
        await admin.deleteGroups(['billing-compute'])
      },
      countHours: () => collection('usage_hours').countDocuments({}),
      hours: db.collection<HourRecord, 'due'>(hoursSpec),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    }
  },
  { skip: javaMissing },
)
