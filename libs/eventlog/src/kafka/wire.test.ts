/** What others see of our events in Kafka, and we of theirs. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { OutboxEvent } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { javaMissing, type Kafka as KafkaServer, startKafka } from '@millhand/test-servers'
import { Kafka, type KafkaMessage, logLevel, Partitioners } from 'kafkajs'
import type { LoggedEvent } from '../event-log.ts'
import { type KafkaEventLog, openKafka } from './kafka.ts'

const T = 'things.v1'
const PREFIX = 'wire.'

describe('Kafka, on the wire', { skip: javaMissing }, () => {
  let server: KafkaServer
  let eventLog: KafkaEventLog
  const lines: string[] = []
  const stop = new AbortController()

  before(async () => {
    server = await startKafka()
    const log = createLog({ level: 'warn', format: 'json', write: line => lines.push(line) })
    eventLog = openKafka({ brokers: [server.address], clientId: 'test', prefix: PREFIX, log })
    const topics = [
      { name: T, partitions: 12, replication: 1, retentionMs: 86_400_000 },
      { name: 'mixed.v1', partitions: 1, replication: 1, retentionMs: 86_400_000 },
    ]
    await eventLog.ensureTopics(topics, stop.signal)
  })
  after(async () => {
    stop.abort()
    await eventLog?.close()
    await server?.[Symbol.asyncDispose]()
  })

  /** A client that knows nothing of us. */
  const stranger = () => new Kafka({ brokers: [server.address], logLevel: logLevel.NOTHING })

  it('is a CloudEvent in binary mode, keyed and partitioned as Java clients do', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await eventLog.publish([{ ...event('task_1', 1), time: 1_795_246_200_120, traceparent }])
    const [{ partition, message }] = (await readRaw(`${PREFIX}${T}`, 1)) as [Raw]
    assert.equal(message.key?.toString(), 'task_1')
    assert.equal(message.value?.toString(), '{"n":1}')
    const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, value?.toString()])
    assert.deepEqual(Object.fromEntries(headers), {
      ce_specversion: '1.0',
      ce_id: 'task_1.1',
      ce_type: 'thing.changed',
      ce_source: '/millhand',
      ce_time: '2026-11-21T07:30:00.120Z',
      ce_subject: 'task_1',
      traceparent,
      'content-type': 'application/json',
    })
    assert.equal(partition, 7) // So says org.apache.kafka.common.utils.Utils.murmur2 of kafka-clients 4.3.1.
  })

  it('what is not ours is skipped with a line in the log, and the offset moves on', async () => {
    const producer = stranger().producer({ createPartitioner: Partitioners.DefaultPartitioner })
    await producer.connect()
    await eventLog.publish([event('k', 1, 'mixed.v1')])
    const ours = {
      ...{ ce_specversion: '1.0', ce_id: 'x', ce_type: 'x', ce_source: '/millhand', ce_subject: 'k' },
      ...{ ce_time: '2026-11-21T07:30:00.000Z', 'content-type': 'application/json' },
    }
    const foreign = [
      { value: 'no key, no headers' },
      { key: 'k', value: null, headers: ours },
      { value: '{}', headers: ours },
      { key: 'k', value: '{}', headers: { ...ours, ce_source: 'https://elsewhere.example' } },
      { key: 'k', value: '{}', headers: { ...ours, ce_time: 'yesterday' } },
      { key: 'k', value: '<xml/>', headers: { ...ours, 'content-type': 'text/xml' } },
      { key: 'k', value: '{}', headers: { ...ours, ce_id: ['one', 'two'] } },
      { key: 'k', value: '{}', headers: { ...ours, ce_type: Buffer.alloc(0), ce_specversion: '0.3' } },
    ]
    await producer.send({ topic: `${PREFIX}mixed.v1`, messages: foreign })
    await eventLog.publish([event('k', 2, 'mixed.v1')])
    await producer.send({ topic: `${PREFIX}mixed.v1`, messages: foreign })
    await producer.disconnect()
    assert.deepEqual(await subscribed(2), ['k.1', 'k.2'])
    const tailed: string[] = []
    for await (const events of eventLog.tail(['mixed.v1'], 'beginning', stop.signal)) {
      if (tailed.push(...events.map(({ id }) => id)) === 2) break
    }
    assert.deepEqual(tailed, ['k.1', 'k.2'])
    const skipped = lines.filter(line => line.includes('"kafka.foreign_messages"')).map(line => JSON.parse(line))
    assert.partialDeepStrictEqual(skipped[0], { topic: `${PREFIX}mixed.v1`, partition: 0 })
    await eventLog.publish([event('k', 3, 'mixed.v1')])
    assert.deepEqual(await subscribed(1), ['k.3'])
  })

  /** Subscribes until that many events have come, and says which. */
  async function subscribed(count: number): Promise<string[]> {
    const done = new AbortController()
    const seen: string[] = []
    const handler = async (events: readonly LoggedEvent[]) => {
      if (seen.push(...events.map(({ id }) => id)) >= count) done.abort()
    }
    await eventLog.subscribe('g', ['mixed.v1'], handler, done.signal)
    return seen
  }

  interface Raw {
    readonly partition: number
    readonly message: KafkaMessage
  }

  async function readRaw(name: string, count: number): Promise<Raw[]> {
    const consumer = stranger().consumer({ groupId: `raw.${name}`, maxWaitTimeInMs: 50 })
    await consumer.connect()
    await consumer.subscribe({ topic: name, fromBeginning: true })
    const found: Raw[] = []
    await new Promise<void>(resolve => {
      void consumer.run({
        async eachMessage({ partition, message }) {
          if (found.push({ partition, message }) === count) resolve()
        },
      })
    })
    await consumer.disconnect()
    return found
  }
})

const event = (key: string, n: number, topic = T): OutboxEvent => ({
  ...{ topic, key, id: `${key}.${n}`, type: 'thing.changed', time: n, value: JSON.stringify({ n }) },
})
