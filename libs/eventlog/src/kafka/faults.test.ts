/** What the log promises while brokers and readers die, freeze and come back. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { OutboxEvent } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { javaMissing, type Kafka as KafkaServer, startKafka } from '@millhand/test-servers'
import type { LoggedEvent } from '../event-log.ts'
import { type KafkaEventLog, openKafka } from './kafka.ts'

const T = 'things.v1'
const KEYS = Array.from({ length: 8 }, (_, n) => `k${n}`)

describe('Kafka, when things fail', { skip: javaMissing }, () => {
  let server: KafkaServer
  const log = createLog({ level: 'error' })
  const never = new AbortController().signal
  const topics = [{ name: T, partitions: 4, replication: 1, retentionMs: 86_400_000 }]

  before(async () => {
    server = await startKafka()
  })
  after(async () => {
    await server?.[Symbol.asyncDispose]()
  })

  async function opened() {
    const prefix = `t${crypto.randomUUID().slice(0, 8)}.`
    const eventLog = openKafka({ brokers: [server.address], clientId: 'test', prefix, log })
    await eventLog.ensureTopics(topics, never)
    const stop = new AbortController()
    return {
      ...{ prefix, eventLog, stop, signal: stop.signal },
      async [Symbol.asyncDispose]() {
        stop.abort()
        await eventLog.close()
      },
    }
  }

  it('a broker that is killed and comes back loses nothing that was acknowledged, and no order', async () => {
    await using at = await opened()
    const heard = new Heard()
    const tailed = new Heard()
    const reading = [
      at.eventLog.subscribe('g', [T], heard.take, at.signal),
      tailed.all(at.eventLog.tail([T], 'beginning', at.signal)),
    ]
    const publisher = publishing(at.eventLog)
    for (const heardAgain of [50, 100]) {
      await heard.until(heardAgain)
      await server.kill()
      await server.start()
    }
    await heard.until(publisher.rounds() + 20)
    const rounds = await publisher.end()
    await Promise.all([heard.until(rounds), tailed.until(rounds)])
    heard.assertInOrder(rounds)
    tailed.assertInOrder(rounds)
    at.stop.abort()
    await Promise.all(reading)
  })

  it('a broker that freezes for 8 s holds everything up, and nothing else', async () => {
    await using at = await opened()
    const heard = new Heard()
    const reading = at.eventLog.subscribe('g', [T], heard.take, at.signal)
    const publisher = publishing(at.eventLog)
    await heard.until(20)
    server.pause()
    const frozen = wait(8000)
    await assert.rejects(at.eventLog.ping())
    await frozen
    server.resume()
    await heard.until(publisher.rounds() + 20)
    const rounds = await publisher.end()
    await heard.until(rounds)
    heard.assertInOrder(rounds)
    at.stop.abort()
    await reading
  })

  it('without a broker: ping rejects, ends come soon, and what waits goes on when it is there', async () => {
    const at = await opened()
    await at.eventLog.ping()
    await at.eventLog.publish([event('k0', 1)])
    const heard = new Heard()
    const reading = at.eventLog.subscribe('g', [T], heard.take, at.signal)
    await heard.until(1, ['k0'])
    await server.kill()
    await assert.rejects(at.eventLog.ping())
    const refused = assert.rejects(at.eventLog.publish([event('k0', 2)]))
    at.stop.abort()
    await Promise.all([reading, at.eventLog.close(), refused])
    const stillborn = at.eventLog.tail([T], 'end', never)[Symbol.asyncIterator]()
    assert.equal((await stillborn.next()).done, true)

    const late = openKafka({ brokers: [server.address], clientId: 'test', prefix: at.prefix, log })
    const making = late.ensureTopics(topics, never)
    const givenUp = new AbortController()
    const waiting = late.ensureTopics(topics, givenUp.signal)
    givenUp.abort(new Error('enough'))
    await assert.rejects(waiting, /enough/)
    const ending = new AbortController()
    const later = new Heard()
    const lateReading = late.subscribe('g2', [T], later.take, ending.signal)
    await server.start()
    await making
    await later.until(1, ['k0'])
    ending.abort()
    await lateReading
    await late.close()
  })

  describe('in a group', { concurrency: true }, () => {
    it('what a member has that dies without a word goes to the others', async () => {
      await using at = await opened()
      const worker = new Worker(OTHER_MEMBER, {
        eval: true,
        workerData: { ...{ module: import.meta.resolve('./kafka.ts'), broker: server.address }, prefix: at.prefix },
      })
      await once(worker, 'message') // It has all partitions.
      const heard = new Heard()
      const reading = at.eventLog.subscribe('g', [T], heard.take, at.signal)
      const publisher = publishing(at.eventLog)
      await heard.some()
      await worker.terminate()
      const rounds = await publisher.end()
      // It may have had its part of all rounds, with its offset committed, and then none of them comes to another.
      await at.eventLog.publish(KEYS.map(key => event(key, rounds + 1)))
      await heard.untilLast(rounds + 1)
      at.stop.abort()
      await reading
    })

    it('a member whose handler takes longer than a session stays', async () => {
      await using at = await opened()
      let calls = 0
      const done = Promise.withResolvers<void>()
      const handler = async () => {
        calls += 1
        await wait(7000)
        done.resolve()
      }
      const reading = at.eventLog.subscribe('g', [T], handler, at.signal)
      await at.eventLog.publish([event('k0', 1)])
      await done.promise
      at.stop.abort()
      await reading
      const heard = new Heard()
      await at.eventLog.publish([event('k0', 2)])
      const ending = new AbortController()
      const second = at.eventLog.subscribe('g', [T], heard.take, ending.signal)
      await heard.some()
      ending.abort()
      await second
      assert.deepEqual([calls, heard.first('k0')], [1, 2])
    })
  })
})

/** Publishes a round of one event for each key every 3 ms, each until it was taken, as the relay of an outbox does. */
function publishing(eventLog: KafkaEventLog) {
  let round = 0
  let ending = false
  const running = (async () => {
    while (!ending) {
      const events = KEYS.map(key => event(key, round + 1))
      const taken = await eventLog.publish(events).then(
        () => true,
        () => wait(100).then(() => false),
      )
      if (taken) round += 1
      await wait(3)
    }
    return round
  })()
  return {
    rounds: () => round,
    end() {
      ending = true
      return running
    },
  }
}

/** What came, for each key: the number of each event when it came first. */
class Heard {
  readonly #numbers = new Map<string, number[]>(KEYS.map(key => [key, []]))
  readonly #seen = new Set<string>()
  #more = Promise.withResolvers<void>()

  readonly take = async (events: readonly LoggedEvent[]): Promise<void> => {
    for (const { id, key, time } of events) {
      if (this.#seen.has(id)) continue
      this.#seen.add(id)
      this.#numbers.get(key)?.push(time)
    }
    this.#more.resolve()
    this.#more = Promise.withResolvers()
  }

  async all(batches: AsyncIterable<readonly LoggedEvent[]>): Promise<void> {
    for await (const events of batches) await this.take(events)
  }

  some = (): Promise<void> => this.#more.promise
  first = (key: string): number => this.#numbers.get(key)?.[0] ?? 0
  last = (key: string): number => this.#numbers.get(key)?.at(-1) ?? 0

  async until(count: number, keys = KEYS): Promise<void> {
    while (keys.some(key => (this.#numbers.get(key)?.length ?? 0) < count)) await this.some()
  }

  async untilLast(round: number): Promise<void> {
    while (KEYS.some(key => this.last(key) < round)) await this.some()
  }

  assertInOrder(rounds: number): void {
    const wanted = Array.from({ length: rounds }, (_, n) => n + 1)
    for (const key of KEYS) assert.deepEqual(this.#numbers.get(key)?.slice(0, rounds), wanted, key)
  }
}

/** A member of the group in a thread, which can be ended without its knowing. */
const OTHER_MEMBER = `
const { parentPort, workerData } = require('node:worker_threads')
import(workerData.module).then(async ({ openKafka }) => {
  const quiet = () => {}
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const eventLog = openKafka({ brokers: [workerData.broker], clientId: 'other', prefix: workerData.prefix, log })
  const handler = async () => parentPort.postMessage('heard')
  eventLog.subscribe('g', ['${T}'], handler, new AbortController().signal)
  await eventLog.publish([{ topic: '${T}', key: 'other', id: 'other.1', type: 'x', time: 0, value: '{}' }])
})`

const event = (key: string, n: number): OutboxEvent => ({
  ...{ topic: T, key, id: `${key}.${n}`, type: 'thing.changed', time: n, value: JSON.stringify({ n }) },
})
