/** An outbox may publish an event again, and a member of a group may die: what a handler sees of that. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { OutboxEvent } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { javaMissing, type Kafka as KafkaServer, startKafka } from '@millhand/test-servers'
import type { LoggedEvent } from '../event-log.ts'
import { openKafka } from './kafka.ts'

const T = 'things.v1'
const KEYS = Array.from({ length: 8 }, (_, n) => `k${n}`)

describe('Kafka: an event that comes again', { skip: javaMissing }, () => {
  let server: KafkaServer
  const log = createLog({ level: 'error' })

  before(async () => {
    server = await startKafka()
  })
  after(async () => {
    await server?.[Symbol.asyncDispose]()
  })

  const open = (prefix: string) => openKafka({ brokers: [server.address], clientId: 'test', prefix, log })

  async function opened() {
    const prefix = `t${crypto.randomUUID().slice(0, 8)}.`
    const eventLog = open(prefix)
    const stop = new AbortController()
    await eventLog.ensureTopics([{ name: T, partitions: 4, replication: 1, retentionMs: 86_400_000 }], stop.signal)
    return {
      ...{ prefix, eventLog, stop, signal: stop.signal },
      async [Symbol.asyncDispose]() {
        stop.abort()
        await eventLog.close()
      },
    }
  }

  it('is handled once by a subscription, and until it is handled', async () => {
    await using at = await opened()
    const handled = new Handled()
    let failures = 1
    const reading = at.eventLog.subscribe(
      'g',
      [T],
      async events => {
        if (failures-- > 0) throw new Error('not now')
        await handled.take(events)
      },
      at.signal,
    )
    await at.eventLog.publish([event('k0', 1), event('k0', 2), event('k0', 1), event('k0', 2)])
    await handled.has('k0.2')
    await at.eventLog.publish([event('k0', 1), event('k0', 2), event('k0', 3)])
    await handled.has('k0.3')
    assert.deepEqual(handled.ids, ['k0.1', 'k0.2', 'k0.3'])
    at.stop.abort()
    await reading
  })

  it('is handled once, also when its partition was with another member meanwhile', async () => {
    await using at = await opened()
    const handled = new Handled()
    const reading = at.eventLog.subscribe('g', [T], handled.take, at.signal)
    const first = KEYS.map(key => event(key, 1))
    await at.eventLog.publish(first)
    for (const { id } of first) await handled.has(id)

    const other = open(at.prefix)
    const others = new Handled()
    const leaving = new AbortController()
    const otherReading = other.subscribe('g', [T], others.take, leaving.signal)
    for (let n = 2; others.ids.length === 0; n++) await at.eventLog.publish(KEYS.map(key => event(key, n)))
    leaving.abort()
    await otherReading
    await other.close()

    const last = KEYS.map(key => event(key, 1_000_000))
    await at.eventLog.publish([...first, ...last])
    for (const { id } of last) await handled.has(id)
    assert.equal(new Set(handled.ids).size, handled.ids.length)
    at.stop.abort()
    await reading
  })

  it('comes whole and in order to the next member, when one dies after it has handled it', async () => {
    await using at = await opened()
    await at.eventLog.publish([1, 2, 3].map(n => event('k0', n)))
    const worker = new Worker(DYING_MEMBER, {
      eval: true,
      workerData: { ...{ module: import.meta.resolve('./kafka.ts'), broker: server.address }, prefix: at.prefix },
    })
    const [done] = (await once(worker, 'message')) as [string[]]
    assert.equal(done[0], 'k0.1')
    const handled = new Handled()
    const reading = at.eventLog.subscribe('g', [T], handled.take, at.signal)
    await worker.terminate()
    await handled.has('k0.3')
    assert.deepEqual(handled.ids, ['k0.1', 'k0.2', 'k0.3'])
    assert.deepEqual(handled.values.get('k0.1'), event('k0', 1).value)
    at.stop.abort()
    await reading
  })
})

/** What a handler was given, and took. */
class Handled {
  readonly ids: string[] = []
  readonly values = new Map<string, string>()
  #more = Promise.withResolvers<void>()

  readonly take = async (events: readonly LoggedEvent[]): Promise<void> => {
    for (const { id, value } of events) {
      this.ids.push(id)
      this.values.set(id, value)
    }
    this.#more.resolve()
    this.#more = Promise.withResolvers()
  }

  async has(id: string): Promise<void> {
    while (!this.ids.includes(id)) await this.#more.promise
  }
}

/** A member of the group in a thread, which stops between the end of its work and the commit, and never goes on. */
const DYING_MEMBER = `
const { parentPort, workerData } = require('node:worker_threads')
import(workerData.module).then(({ openKafka }) => {
  const quiet = () => {}
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const eventLog = openKafka({ brokers: [workerData.broker], clientId: 'other', prefix: workerData.prefix, log })
  const handler = async events => {
    parentPort.postMessage(events.map(({ id }) => id))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
  eventLog.subscribe('g', ['${T}'], handler, new AbortController().signal)
})`

const event = (key: string, n: number): OutboxEvent => ({
  ...{ topic: T, key, id: `${key}.${n}`, type: 'thing.changed', time: n, value: JSON.stringify({ n }) },
})
