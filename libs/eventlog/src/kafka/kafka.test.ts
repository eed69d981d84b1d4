import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { EventsRefused, type OutboxEvent } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { javaMissing, type Kafka as KafkaServer, startKafka } from '@millhand/test-servers'
import { Kafka, logLevel } from 'kafkajs'
import { describeEventLog, type OpenLog } from '../event-log.contract.ts'
import type { LoggedEvent } from '../event-log.ts'
import { type KafkaEventLog, openKafka } from './kafka.ts'

const T = 'things.v1'
/** kafkajs's `ConfigResourceTypes.TOPIC`, which Node can't import by name. */
const TOPIC = 2

describe('Kafka', { skip: javaMissing }, () => {
  let server: KafkaServer
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', write: line => lines.push(line) })
  const never = new AbortController().signal

  const warnings: Error[] = []
  process.on('warning', warning => warnings.push(warning))

  before(async () => {
    server = await startKafka()
  })
  after(async () => {
    await server?.[Symbol.asyncDispose]()
    // kafkajs's check that never sleeps shows in it: see kafkajs-timers.ts.
    assert.deepEqual(
      warnings.filter(({ name }) => name === 'TimeoutNegativeWarning'),
      [],
    )
  })

  const newPrefix = () => `t${crypto.randomUUID().slice(0, 8)}.`
  const topic = (name: string, partitions = 3) => ({ name, partitions, replication: 1, retentionMs: 86_400_000 })
  const openLog = (prefix: string) => openKafka({ brokers: [server.address], clientId: 'test', prefix, log })
  /** A client that knows nothing of us. */
  const stranger = () => new Kafka({ brokers: [server.address], logLevel: logLevel.NOTHING })

  /** A new log with the topic, and what stops all that reads from it. */
  async function opened(partitions = 3) {
    const prefix = newPrefix()
    const eventLog = openLog(prefix)
    await eventLog.ensureTopics([topic(T, partitions)], never)
    const stop = new AbortController()
    return {
      ...{ prefix, eventLog, stop, signal: stop.signal },
      async [Symbol.asyncDispose]() {
        stop.abort()
        await eventLog.close()
      },
    }
  }

  describeEventLog('Kafka', async () => {
    const at = (prefix: string): OpenLog => {
      const eventLog = openLog(prefix)
      return {
        log: eventLog,
        append: (...events) => eventLog.publish(events),
        async reopen() {
          await eventLog.close()
          return at(prefix)
        },
        close: () => eventLog.close(),
      }
    }
    const prefix = newPrefix()
    const made = at(prefix)
    await (made.log as KafkaEventLog).ensureTopics([topic('contract.a.v1'), topic('contract.b.v1')], never)
    return made
  })

  describe('publish', () => {
    it('keeps the order of calls that come together, whatever their size', async () => {
      await using at = await opened(1)
      const large = 'x'.repeat(300_000)
      const calls = Array.from({ length: 60 }, (_, n) => {
        const events = Array.from({ length: n % 5 === 0 ? 300 : 1 }, (_, i) => event('k', n * 1000 + i))
        return n > 30 && n < 35 ? events.map(one => ({ ...one, value: JSON.stringify(large) })) : events
      })
      await Promise.all(calls.map(events => at.eventLog.publish(events)))
      const wanted = calls.flat().map(({ id }) => id)
      assert.deepEqual(await take(at.eventLog.tail([T], 'beginning', at.signal), wanted.length), wanted)
    })

    it('to a topic that is not there: an error that names it, and calls behind do not overtake', async () => {
      await using at = await opened()
      const [missing, behind] = await Promise.allSettled([
        at.eventLog.publish([{ ...event('k', 1), topic: 'missing.v1' }]),
        at.eventLog.publish([event('k', 1)]),
      ])
      assert.equal(missing.status, 'rejected')
      assert.match(String(missing.reason), new RegExp(`no topic ${at.prefix}missing\\.v1`))
      assert.equal(behind.status, 'rejected')
      await at.eventLog.ensureTopics([topic('missing.v1')], never)
      await at.eventLog.publish([{ ...event('k', 1), topic: 'missing.v1' }])
    })

    it('takes all but what it never will, and says which that is', async () => {
      await using at = await opened(1)
      const large = { ...event('k', 2), value: JSON.stringify('x'.repeat(1_100_000)) }
      const timeless = { ...event('k', 4), time: Number.NaN }
      const publishing = at.eventLog.publish([event('k', 1), large, event('k', 3), timeless, event('k', 5)])
      await assert.rejects(publishing, (error: unknown) => {
        assert.ok(error instanceof EventsRefused)
        assert.equal(error.reasons.get('k.2'), 'MESSAGE_TOO_LARGE')
        assert.match(error.reasons.get('k.4') ?? '', /RangeError/)
        assert.equal(error.reasons.size, 2)
        return true
      })
      await at.eventLog.publish([event('k', 6)])
      assert.deepEqual(await take(at.eventLog.tail([T], 'beginning', at.signal), 4), ['k.1', 'k.3', 'k.5', 'k.6'])
    })

    it('to a topic that takes little at once: what fits by itself goes, in order', async () => {
      await using at = await opened(1)
      const admin = stranger().admin()
      await admin.connect()
      const configEntries = [{ name: 'max.message.bytes', value: '20000' }]
      const resources = [{ type: TOPIC, name: `${at.prefix}${T}`, configEntries }]
      await admin.alterConfigs({ validateOnly: false, resources })
      await admin.disconnect()
      const sized = (n: number) => ({ ...event('k', n), value: JSON.stringify('x'.repeat(n === 20 ? 30_000 : 4_000)) })
      const events = Array.from({ length: 40 }, (_, n) => sized(n))
      await assert.rejects(at.eventLog.publish(events), (error: unknown) => {
        return error instanceof EventsRefused && [...error.reasons.keys()].join() === 'k.20'
      })
      const wanted = ids(events).filter(id => id !== 'k.20')
      assert.deepEqual(await take(at.eventLog.tail([T], 'beginning', at.signal), 39), wanted)
    })

    it('goes on where our clock is far ahead: the broker’s counts', async t => {
      await using at = await opened(1)
      const { now } = Date
      t.mock.method(Date, 'now', () => now() + 2 * 3_600_000)
      await at.eventLog.publish([event('k', 1)])
      assert.deepEqual(await take(at.eventLog.tail([T], 'beginning', at.signal), 1), ['k.1'])
    })

    it('after close is refused', async () => {
      const { eventLog } = await opened()
      await eventLog.close()
      await eventLog.close()
      await assert.rejects(eventLog.publish([event('k', 1)]), /closed/)
    })
  })

  describe('tail', () => {
    it('from the end: all that this log publishes after the call, nothing that it published before', async t => {
      await using at = await opened()
      const now = Date.now()
      t.mock.method(Date, 'now', () => now) // All in one millisecond: time tells nothing apart.
      for (let n = 1; n <= 10; n++) {
        await at.eventLog.publish([event('a', n), event('b', n), event('c', n)])
        const one = new AbortController()
        const iterator = at.eventLog.tail([T], 'end', one.signal)[Symbol.asyncIterator]()
        const next = iterator.next()
        await at.eventLog.publish([event('new', n)])
        assert.deepEqual(ids((await next).value), [`new.${n}`])
        one.abort()
        await iterator.next()
      }
    })

    it('a position is good when the topic has grown, and what is running sees the new partitions', async () => {
      await using at = await opened(1)
      await at.eventLog.publish([event('k', 1), event('k', 2)])
      const running = reader(at.eventLog.tail([T], 'beginning', at.signal))
      const [first] = await running(2)
      const subscription = subscribed(at.eventLog, 'g', 22)
      const admin = stranger().admin()
      await admin.connect()
      await admin.createPartitions({ topicPartitions: [{ topic: `${at.prefix}${T}`, count: 6 }] })
      await admin.disconnect()
      const fresh = openLog(at.prefix) // Its producer knows all partitions at once.
      const keys = Array.from({ length: 20 }, (_, n) => event(`new${n}`, 1))
      await fresh.publish(keys)
      const wanted = ['k.2', ...ids(keys)].sort()
      const resumed = await take(fresh.tail([T], first?.position ?? '', at.signal), wanted.length)
      assert.deepEqual(resumed.sort(), wanted)
      assert.deepEqual(ids(await running(20)).sort(), ids(keys).sort())
      assert.deepEqual((await subscription).sort(), ['k.1', ...wanted].sort())
      await fresh.close()
    })

    it('leaves no group behind', async () => {
      await using at = await opened()
      await at.eventLog.publish([event('k', 1)])
      for await (const _ of at.eventLog.tail([T], 'beginning', at.signal)) break
      const forgotten = at.eventLog.tail([T], 'beginning', at.signal)[Symbol.asyncIterator]()
      await forgotten.next()
      await at.eventLog.close()
      const admin = stranger().admin()
      await admin.connect()
      const { groups } = await admin.listGroups()
      await admin.disconnect()
      assert.deepEqual(
        groups.filter(({ groupId }) => groupId.startsWith(at.prefix)),
        [],
      )
    })

    it('refuses what is no position', async () => {
      await using at = await opened()
      for (const position of ['', '5', `${T}:1;`, `${T}:-1`, `${T}:12345678901`]) {
        assert.throws(() => at.eventLog.tail([T], position, never), RangeError)
      }
    })

    it('a position of a subscription is good too', async () => {
      await using at = await opened()
      await at.eventLog.publish([event('k', 1), event('k', 2)])
      let position = ''
      await subscribed(at.eventLog, 'g', 2, ([first]) => {
        position ||= first?.position ?? ''
      })
      assert.deepEqual(await take(at.eventLog.tail([T], position, at.signal), 1), ['k.2'])
    })
  })

  it('gives a reader what the partitions have together, and each position is behind all events before it', async () => {
    await using at = await opened(6)
    const keys = Array.from({ length: 30 }, (_, n) => event(`k${n}`, 1))
    await at.eventLog.publish(keys)
    const given: (readonly LoggedEvent[])[] = []
    await subscribed(at.eventLog, 'g', 30, events => given.push(events))
    given.push((await at.eventLog.tail([T], 'beginning', at.signal)[Symbol.asyncIterator]().next()).value)
    assert.equal(given.length, 2)
    for (const events of given) {
      assert.deepEqual(ids(events).sort(), ids(keys).sort())
      const rest = await take(at.eventLog.tail([T], events[14]?.position ?? '', at.signal), 15)
      assert.deepEqual(rest.sort(), ids(events.slice(15)).sort())
    }
  })

  it('readers of a topic that is not there yet go on when it is made', async () => {
    await using at = await opened()
    const late = { ...event('k', 1), topic: 'late.v1' }
    const seen = Promise.withResolvers<string[]>()
    const handler = async (events: readonly LoggedEvent[]) => seen.resolve(ids(events))
    const subscription = at.eventLog.subscribe('g', ['late.v1'], handler, at.signal)
    const tailed = take(at.eventLog.tail(['late.v1'], 'end', at.signal), 1)
    await until(() => lines.filter(line => line.includes('topics_missing') && line.includes(at.prefix)).length >= 2)
    await at.eventLog.ensureTopics([topic('late.v1')], never)
    await at.eventLog.publish([late])
    assert.deepEqual(await Promise.all([seen.promise, tailed]), [['k.1'], ['k.1']])
    at.stop.abort()
    await subscription
  })

  it('readers of several topics wait for none of them, and read one that is made later from its beginning', async () => {
    await using at = await opened()
    const later = 'later.v1'
    const heard: Record<string, string[]> = { tail: [], group: [] }
    const news = new EventTarget()
    const note = (reader: string, events: readonly LoggedEvent[]) => {
      heard[reader]?.push(...events.map(({ id }) => id))
      news.dispatchEvent(new Event('heard'))
    }
    const tailing = (async () => {
      for await (const events of at.eventLog.tail([T, later], 'end', at.signal)) note('tail', events)
    })()
    const taking = at.eventLog.subscribe('both', [T, later], async events => note('group', events), at.signal)
    const both = async (...ids: string[]) => {
      while (Object.values(heard).some(list => ids.some(id => !list.includes(id)))) await once(news, 'heard')
    }
    const first = event('k', 1)
    await at.eventLog.publish([first])
    await both(first.id)
    assert.equal((await at.eventLog.progress([T, later], 'end')).end, 1)
    await at.eventLog.ensureTopics([topic(later)], never)
    const [second, third] = [{ ...event('k', 2), topic: later }, event('k', 3)]
    await at.eventLog.publish([second, third])
    await both(second.id, third.id)
    assert.deepEqual(
      Object.values(heard).map(list => list.length),
      [3, 3],
    )
    at.stop.abort()
    await Promise.all([tailing, taking])
  })

  it('ensureTopics leaves what is there, and says where its partitions differ', async () => {
    await using at = await opened(2)
    await at.eventLog.publish([event('k', 1)])
    await at.eventLog.ensureTopics([topic(T, 5), topic('more.v1', 1)], never)
    assert.ok(lines.some(line => line.includes('partitions_differ') && line.includes(`${at.prefix}${T}`)))
    assert.deepEqual(await take(at.eventLog.tail([T], 'beginning', at.signal), 1), ['k.1'])
  })
})

const event = (key: string, n: number): OutboxEvent => ({
  ...{ topic: T, key, id: `${key}.${n}`, type: 'thing.changed', time: n, value: JSON.stringify({ n }) },
})

const ids = (events: readonly OutboxEvent[]): string[] => events.map(({ id }) => id)

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise(resolve => setImmediate(resolve))
}

/** Takes events one by one out of the batches of a tail. */
function reader(batches: AsyncIterable<readonly LoggedEvent[]>) {
  const iterator = batches[Symbol.asyncIterator]()
  const left: LoggedEvent[] = []
  return async (count: number): Promise<LoggedEvent[]> => {
    while (left.length < count) left.push(...(await iterator.next()).value)
    return left.splice(0, count)
  }
}

const take = async (batches: AsyncIterable<readonly LoggedEvent[]>, count: number) => ids(await reader(batches)(count))

/** Subscribes until that many events have come, and says which. */
async function subscribed(
  eventLog: KafkaEventLog,
  group: string,
  count: number,
  each: (events: readonly LoggedEvent[]) => void = () => {},
): Promise<string[]> {
  const stop = new AbortController()
  const seen: string[] = []
  const handler = async (events: readonly LoggedEvent[]) => {
    each(events)
    seen.push(...ids(events))
    if (seen.length >= count) stop.abort()
  }
  await eventLog.subscribe(group, [T], handler, stop.signal)
  return seen
}
