import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { OutboxEvent } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { javaMissing, type Kafka, startKafka } from '@millhand/test-servers'
import { type KafkaEventLog, openKafka } from './kafka.ts'

const topic = { name: 'lag.v1', partitions: 3, replication: 1, retentionMs: 86_400_000 }
const event = (key: string): OutboxEvent => ({
  ...{ topic: topic.name, key, id: key, type: 'thing.changed', time: 1, value: '{}' },
})

describe('the lag of groups in Kafka', { skip: javaMissing }, () => {
  let server: Kafka
  let log: KafkaEventLog
  before(async () => {
    server = await startKafka()
    const brokers = [server.address]
    const silent = createLog({ level: 'error', format: 'json', write: () => {} })
    log = openKafka({ brokers, clientId: 'test', prefix: `t${crypto.randomUUID().slice(0, 8)}.`, log: silent })
    await log.ensureTopics([topic], AbortSignal.timeout(300_000))
  })
  after(async () => {
    await log?.close()
    await server?.[Symbol.asyncDispose]()
  })

  const behind = async () => Object.fromEntries(await log.groupsBehind())
  const reaches = async (expected: number) => {
    const deadline = performance.now() + 300_000
    for (;;) {
      const lags = await behind()
      if (lags.g === expected) return
      assert.ok(performance.now() < deadline, JSON.stringify(lags))
    }
  }

  it('is what a group has not handled, over all partitions, while it is read here', async () => {
    assert.deepEqual(await behind(), {})
    await log.publish(['a', 'b', 'c', 'd', 'e'].map(event))
    const stop = new AbortController()
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const handler = async () => {
      begun.resolve()
      await goOn.promise
    }
    const reading = log.subscribe('g', [topic.name, 'not-made-yet.v1'], handler, stop.signal)
    await begun.promise
    assert.deepEqual(await behind(), { g: 5 }, 'what is in the hands of its handler is not done')
    goOn.resolve()
    await reaches(0)
    stop.abort()
    await reading
    assert.deepEqual(await behind(), {})
  })

  it('grows for a group that reads and does nothing', async () => {
    const stop = new AbortController()
    const stuck = Promise.withResolvers<void>()
    const reading = log.subscribe('g', [topic.name], () => stuck.promise, stop.signal)
    await log.publish([event('f')])
    await reaches(1)
    await log.publish([event('g')])
    await reaches(2)
    stop.abort()
    stuck.resolve()
    await reading
  })
})
