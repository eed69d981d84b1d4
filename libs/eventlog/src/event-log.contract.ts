/** What every adapter of `EventLog` has to do. An adapter's test calls `describeEventLog` and adds its own. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { OutboxEvent } from '@millhand/store'
import type { EventLog, LoggedEvent } from './event-log.ts'

/** A log that has just been opened: empty, except after `reopen`. */
export interface OpenLog {
  readonly log: EventLog
  /** Appends the events by writing a document; resolves when that is answered. */
  append(...events: OutboxEvent[]): Promise<void>
  /** Closes the log and opens what it left. No subscription is active then. */
  reopen(): Promise<OpenLog>
  close(): Promise<void>
}

const A = 'contract.a.v1'
const B = 'contract.b.v1'

export function describeEventLog(name: string, open: () => Promise<OpenLog>): void {
  describe(`${name}: EventLog`, () => {
    let opened: OpenLog
    let stop: AbortController
    let running: Promise<unknown>[]

    beforeEach(async () => {
      opened = await open()
      stop = new AbortController()
      running = []
    })
    afterEach(async () => {
      stop.abort()
      await Promise.all(running)
      await opened.close()
    })

    /** Subscribes until the test ends, and collects what comes. */
    function collect(group: string, topics: readonly string[], signal = stop.signal) {
      const inbox = new Inbox()
      const ended = opened.log.subscribe(group, topics, async events => inbox.add(events), signal)
      running.push(ended)
      return { inbox, ended }
    }

    describe('subscribe', () => {
      it('gives a new group the log from its beginning, each event whole', async () => {
        const plain = event(A, 'k', 1)
        const traced = { ...event(A, 'k', 2), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
        await opened.append(plain, traced)
        const { inbox } = collect('g', [A])
        await inbox.until(2)
        assert.deepEqual(inbox.events.map(withoutPosition), [plain, traced])
      })

      it('goes on with what is appended later', async () => {
        const { inbox } = collect('g', [A])
        for (let n = 1; n <= 20; n++) {
          await opened.append(event(A, 'k', n))
          await inbox.until(n)
        }
        assert.deepEqual(inbox.idsOf('k'), idsUpTo('k', 20))
      })

      it('gives only the topics that were asked for', async () => {
        await opened.append(event(B, 'b', 1), event(A, 'a', 1), event(B, 'b', 2))
        const { inbox } = collect('only_a', [A])
        const both = collect('both', [A, B]).inbox
        await both.until(3)
        await opened.append(event(B, 'b', 3), event(A, 'a', 2))
        await Promise.all([inbox.until(2), both.until(5)])
        assert.deepEqual(
          inbox.events.map(({ id }) => id),
          ['a.1', 'a.2'],
        )
      })

      it('keeps the order of each key, in a log of more than one batch', async () => {
        const keys = ['k1', 'k2', 'k3']
        for (let n = 1; n <= 500; n += 50) {
          await opened.append(...Array.from({ length: 50 }, (_, i) => keys.map(key => event(A, key, n + i))).flat())
        }
        const { inbox } = collect('g', [A])
        await inbox.until(1500)
        for (const key of keys) assert.deepEqual(inbox.idsOf(key), idsUpTo(key, 500))
      })

      it('gives every group everything', async () => {
        await opened.append(event(A, 'k', 1))
        const inboxes = ['g1', 'g2', 'g3'].map(group => collect(group, [A]).inbox)
        await opened.append(event(A, 'k', 2))
        await Promise.all(inboxes.map(inbox => inbox.until(2)))
        for (const inbox of inboxes) assert.deepEqual(inbox.idsOf('k'), ['k.1', 'k.2'])
      })

      it('keeps the place of a group, over a reopening too', async () => {
        for (let n = 1; n <= 3; n++) {
          const first = new AbortController()
          await opened.append(event(A, 'k', n))
          const { inbox, ended } = collect('g', [A], first.signal)
          await inbox.until(1)
          first.abort()
          await ended
          assert.deepEqual(
            inbox.events.map(({ id }) => id),
            [`k.${n}`],
          )
          opened = await opened.reopen()
        }
      })

      it('gives a handler that rejects the same events again, before any later one of the key', async () => {
        const inbox = new Inbox()
        let failures = 2
        running.push(
          opened.log.subscribe(
            'g',
            [A],
            async events => {
              if (failures-- > 0) throw new Error('not now')
              inbox.add(events)
            },
            stop.signal,
          ),
        )
        await opened.append(event(A, 'k', 1))
        await opened.append(event(A, 'k', 2))
        await inbox.until(2)
        assert.deepEqual(inbox.idsOf('k'), ['k.1', 'k.2'])
      })

      it('does not move the place of a group whose handler rejected', async () => {
        await opened.append(event(A, 'k', 1))
        const first = new AbortController()
        const failing = opened.log.subscribe(
          'g',
          [A],
          async () => {
            first.abort()
            throw new Error('not now')
          },
          first.signal,
        )
        await failing
        opened = await opened.reopen()
        const { inbox } = collect('g', [A])
        await inbox.until(1)
        assert.deepEqual(inbox.idsOf('k'), ['k.1'])
      })

      it('shares the work among the subscribers of one group, and goes on when one ends', async () => {
        const first = new AbortController()
        const one = collect('g', [A], first.signal)
        const two = collect('g', [A])
        const handled = () => new Set([...one.inbox.events, ...two.inbox.events].map(({ id }) => id))
        await opened.append(...Array.from({ length: 40 }, (_, n) => event(A, `k${n}`, 1)))
        while (handled().size < 40) await Promise.race([one.inbox.more(), two.inbox.more()])
        first.abort()
        await one.ended
        await opened.append(...Array.from({ length: 40 }, (_, n) => event(A, `k${n}`, 2)))
        while (handled().size < 80) await two.inbox.more()
        assert.ok(one.inbox.events.length + two.inbox.events.length < 160)
      })

      it('resolves only when the last handler is done', async () => {
        const entered = Promise.withResolvers<void>()
        const leave = Promise.withResolvers<void>()
        let done = false
        const ending = new AbortController()
        await opened.append(event(A, 'k', 1))
        const subscription = opened.log.subscribe(
          'g',
          [A],
          async () => {
            entered.resolve()
            await leave.promise
            done = true
          },
          ending.signal,
        )
        await entered.promise
        ending.abort()
        setImmediate(leave.resolve)
        await subscription
        assert.equal(done, true)
      })

      it('does nothing when the signal has ended before', async () => {
        await opened.append(event(A, 'k', 1))
        await opened.log.subscribe('g', [A], () => assert.fail('called'), AbortSignal.abort())
      })
    })

    describe('tail', () => {
      it('yields what is there from the beginning, then what comes, in order per key', async () => {
        await opened.append(event(A, 'k', 1), event(B, 'k', 9), event(A, 'k', 2))
        const reader = read(opened.log.tail([A], 'beginning', stop.signal))
        assert.deepEqual(
          (await reader.take(2)).map(({ id }) => id),
          ['k.1', 'k.2'],
        )
        await opened.append(event(A, 'k', 3))
        assert.deepEqual((await reader.take(1)).map(withoutPosition), [event(A, 'k', 3)])
      })

      it('goes on strictly after a position, over a reopening too', async () => {
        await opened.append(...[1, 2, 3, 4].map(n => event(A, 'k', n)))
        const [, second] = await read(opened.log.tail([A], 'beginning', stop.signal)).take(4)
        assert.ok(second)
        opened = await opened.reopen()
        const reader = read(opened.log.tail([A], second.position, stop.signal))
        assert.deepEqual(
          (await reader.take(2)).map(({ id }) => id),
          ['k.3', 'k.4'],
        )
      })

      it('begins at the end with nothing older', async () => {
        await opened.append(event(A, 'old', 1))
        const reader = read(opened.log.tail([A], 'end', stop.signal))
        let first: readonly LoggedEvent[] | undefined
        const taking = reader.take(1).then(events => {
          first = events
        })
        // An adapter may need a while to learn where the end is; what is appended meanwhile may be left out.
        for (let n = 1; first === undefined; n++) await opened.append(event(A, 'new', n))
        await taking
        assert.equal(first?.[0]?.key, 'new')
      })

      it('returns when the signal ends, also while it waits', async () => {
        const ending = new AbortController()
        const iterator = opened.log.tail([A], 'beginning', ending.signal)[Symbol.asyncIterator]()
        const next = iterator.next()
        setImmediate(() => ending.abort())
        assert.equal((await next).done, true)
        const again = opened.log.tail([A], 'beginning', AbortSignal.abort())[Symbol.asyncIterator]()
        assert.equal((await again.next()).done, true)
      })

      it('serves many readers at once, each its own place', async () => {
        await opened.append(event(A, 'k', 1))
        const readers = Array.from({ length: 10 }, () => read(opened.log.tail([A], 'beginning', stop.signal)))
        await Promise.all(readers.map(reader => reader.take(1)))
        await opened.append(event(A, 'k', 2))
        const taken = await Promise.all(readers.map(reader => reader.take(1)))
        assert.deepEqual(
          taken.map(events => events[0]?.id),
          Array(10).fill('k.2'),
        )
      })
    })
  })
}

/** What a subscription was given; an event that came more than once counts once. */
class Inbox {
  readonly events: LoggedEvent[] = []
  readonly #seen = new Set<string>()
  #added = Promise.withResolvers<void>()

  add(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      if (this.#seen.has(event.id)) continue
      this.#seen.add(event.id)
      this.events.push(event)
    }
    this.#added.resolve()
    this.#added = Promise.withResolvers()
  }

  more(): Promise<void> {
    return this.#added.promise
  }

  async until(count: number): Promise<void> {
    while (this.events.length < count) await this.more()
  }

  idsOf(key: string): string[] {
    return this.events.filter(event => event.key === key).map(({ id }) => id)
  }
}

/** Takes events one by one out of the batches of a tail. */
function read(batches: AsyncIterable<readonly LoggedEvent[]>) {
  const iterator = batches[Symbol.asyncIterator]()
  const left: LoggedEvent[] = []
  return {
    async take(count: number): Promise<LoggedEvent[]> {
      while (left.length < count) {
        const next = await iterator.next()
        if (next.done) assert.fail('the tail has ended')
        left.push(...next.value)
      }
      return left.splice(0, count)
    },
  }
}

const event = (topic: string, key: string, n: number): OutboxEvent => ({
  topic,
  key,
  id: `${key}.${n}`,
  type: 'thing.changed',
  time: 1_700_000_000_000 + n,
  value: JSON.stringify({ n, text: '日本 😀 \u0000' }),
})

const idsUpTo = (key: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${key}.${i + 1}`)

const withoutPosition = ({ position: _, ...event }: LoggedEvent): OutboxEvent => event
