import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ManualClock, manualClock } from '@millhand/runner'
import { createLog } from '@millhand/telemetry'
import type { Document, OutboxEvent } from '../collection.ts'
import { event } from '../contract-items.ts'
import type { Outbox, OutboxView } from './outbox.ts'
import { OutboxRelay } from './outbox-relay.ts'

describe('the outbox relay', () => {
  it('publishes what waits at the start, in order, and takes it out', async () => {
    const { outbox, published, advance, end } = opened()
    outbox.write('a', ['a1', 'a2'])
    outbox.write('b', ['b1'])
    outbox.write('a', ['a3'])
    await advance(0)
    assert.deepEqual(published(), ['a1', 'a2', 'a3', 'b1'])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('publishes a write of this process at once', async () => {
    const { relay, outbox, published, advance, end } = opened()
    await advance(0)
    relay.written(outbox, 'a', outbox.write('a', ['a1']))
    await advance(0)
    outbox.write('a', ['a2'])
    relay.written(outbox, 'a')
    await advance(0)
    assert.deepEqual(published(), ['a1', 'a2'])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('publishes what it is rung for at once, and what nobody rang for within a second', async () => {
    const { relay, outbox, published, advance, end } = opened()
    await advance(0)
    outbox.write('rung', ['r1'])
    outbox.write('quiet', ['q1'])
    relay.ring(outbox, 'rung')
    await advance(0)
    assert.deepEqual(published(), ['r1'])
    await advance(999)
    assert.deepEqual(published(), ['r1'])
    await advance(1)
    assert.deepEqual(published(), ['r1', 'q1'])
    await end()
  })

  it('repeats a publish that rejects, with growing pauses, and skips nothing', async () => {
    let refusals = 3
    const { relay, outbox, calls, advance, end } = opened({
      publish: async () => {
        if (refusals-- > 0) throw new Error('no log')
      },
    })
    relay.written(outbox, 'a', outbox.write('a', ['a1']))
    await advance(0)
    relay.written(outbox, 'b', outbox.write('b', ['b1']))
    await advance(5_000)
    assert.deepEqual(calls(), [['a1'], ['a1'], ['a1'], ['a1'], ['b1']])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('has one publish in flight, of 500 events at most', async () => {
    let inFlight = 0
    const waiting: (() => void)[] = []
    const { relay, outbox, calls, advance, end } = opened({
      publish: async () => {
        assert.equal(++inFlight, 1)
        await new Promise<void>(resolve => waiting.push(resolve))
        inFlight -= 1
      },
    })
    const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `a${from + i}`)
    outbox.write('a', ids(0, 800))
    await advance(0)
    outbox.write('a', ids(800, 1_300))
    relay.written(outbox, 'a')
    outbox.write('b', ['b1'])
    relay.ring(outbox, 'b')
    for (let i = 0; i < 5; i++) {
      await advance(1_000)
      waiting.shift()?.()
    }
    await advance(0)
    assert.deepEqual(
      calls().map(ids => ids.length),
      [500, 300, 500, 1],
    )
    const order = calls().flat()
    assert.deepEqual(
      order.filter(id => id !== 'b1'),
      ids(0, 1_300),
    )
    await end()
  })

  it('leaves what came while it published, and publishes it next', async () => {
    const { relay, outbox, calls, advance, end } = opened({
      publish: async ids => {
        if (!ids.includes('a1')) return
        outbox.write('a', ['a2'])
        relay.written(outbox, 'a')
      },
    })
    outbox.write('a', ['a1'])
    await advance(0)
    assert.deepEqual(calls(), [['a1'], ['a2']])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('publishes again what an earlier relay did not live to take out, and that before anything newer', async () => {
    const first = opened({ publish: async () => first.abort() })
    first.outbox.write('a', ['a1', 'a2'])
    await first.advance(0)
    await first.end()
    assert.deepEqual(first.outbox.pending(), ['a'])
    first.outbox.write('a', ['a3'])
    const second = opened({ outbox: first.outbox })
    await second.advance(0)
    assert.deepEqual([...first.published(), ...second.published()], ['a1', 'a2', 'a1', 'a2', 'a3'])
    await second.end()
  })

  it('does not send again what it read before it had taken it out', async () => {
    const { relay, outbox, published, advance, end } = opened()
    const view = outbox.write('a', ['a1'])
    await advance(0)
    relay.written(outbox, 'a', view)
    await advance(0)
    assert.deepEqual(published(), ['a1'])
    await end()
  })

  it('reads again after a read that failed, and takes out again after that failed', async () => {
    const { relay, outbox, published, advance, end } = opened()
    await advance(0)
    outbox.fail = 2
    outbox.write('a', ['a1'])
    relay.written(outbox, 'a')
    await advance(900)
    assert.deepEqual(published(), ['a1'])
    outbox.fail = 0
    outbox.write('a', ['a2'])
    relay.written(outbox, 'a')
    outbox.failClear = 2
    await advance(900)
    assert.deepEqual(published(), ['a1', 'a2'])
    assert.deepEqual(outbox.pending(), [])
    await end()
  })

  it('tells of documents that others changed, also while the log is away', async () => {
    const { relay, outbox, heard, advance, end } = opened({ publish: () => new Promise(() => {}) })
    outbox.write('swept', ['s1'], 'theirs')
    await advance(0)
    outbox.write('rung', ['r1'], 'theirs')
    outbox.write('own', ['o1'])
    relay.ring(outbox, 'rung')
    relay.ring(outbox, 'own')
    await advance(0)
    assert.deepEqual(heard, ['swept', 'rung'])
    outbox.write('unrung', ['u1'], 'theirs')
    await advance(1_100)
    assert.ok(heard.includes('unrung'))
    await end()
  })

  it('tells of a document that another changed after this process', async () => {
    const { relay, outbox, heard, published, advance, end } = opened()
    await advance(0)
    outbox.write('a', ['a1'])
    outbox.write('a', ['a2'], 'theirs')
    relay.written(outbox, 'a')
    await advance(0)
    assert.deepEqual(heard, ['a'])
    assert.deepEqual(published(), ['a1', 'a2'])
    await end()
  })
})

/** Pauses that follow each other fit into a long time only where it passes in steps. */
const STEP_MS = 50

interface Opened {
  readonly publish?: (ids: readonly string[]) => Promise<void>
  readonly outbox?: MemoryOutbox
}

function opened({ publish = async () => {}, outbox = new MemoryOutbox() }: Opened = {}) {
  const clock: ManualClock = manualClock()
  const ending = new AbortController()
  const calls: string[][] = []
  const published: string[] = []
  const heard: string[] = []
  const relay = new OutboxRelay({
    outboxes: () => [outbox],
    isKnown: writeId => writeId.startsWith('ours'),
    clock,
    log: createLog({ level: 'error' }),
    heard: (_, { id }) => heard.push(id),
    async publish(events) {
      const ids = events.map(({ id }) => id)
      calls.push(ids)
      await publish(ids)
      published.push(...ids)
    },
  })
  const running = relay.run(ending.signal)
  return {
    relay,
    outbox,
    heard,
    calls: () => calls,
    published: () => published,
    abort: () => ending.abort(),
    /** Lets time pass, and everything be done that is to be done by then. */
    async advance(ms: number) {
      for (let passed = 0; ; passed += STEP_MS) {
        for (let turn = 0; turn < 20; turn++) await clock.advance(0)
        if (passed >= ms) return
        await clock.advance(Math.min(STEP_MS, ms - passed))
      }
    },
    async end() {
      ending.abort()
      await running
    },
  }
}

/** Outboxes in memory, with the rules of those in MongoDB. */
class MemoryOutbox implements Outbox {
  readonly name = 'items'
  readonly #documents = new Map<string, { writeId: string; events: OutboxEvent[]; pending: boolean }>()
  #writes = 0
  /** How many of the next calls fail. */
  fail = 0
  failClear = 0

  write(key: string, ids: readonly string[], by = 'ours'): OutboxView {
    const there = this.#documents.get(key)?.events ?? []
    const writeId = `${by}.${++this.#writes}`
    this.#documents.set(key, { writeId, events: [...there, ...ids.map(id => event(key, id))], pending: true })
    return this.#view(key, false)
  }

  pending = () => [...this.#documents].flatMap(([key, { pending }]) => (pending ? [key] : [])).sort()

  async read(keys: readonly string[], options: { readonly documents: boolean }) {
    if (this.fail-- > 0) throw new Error('no store')
    return keys.filter(key => this.#documents.has(key)).map(key => this.#view(key, options.documents))
  }

  async waiting(after: string) {
    return this.pending()
      .filter(key => key > after)
      .slice(0, 2)
      .map(key => this.#view(key, true))
  }

  async clear(views: readonly OutboxView[]) {
    if (this.failClear-- > 0) throw new Error('no store')
    for (const { key, writeId, events } of views) {
      const document = this.#documents.get(key)
      if (!document) continue
      const ids = new Set(events.map(({ id }) => id))
      document.events = document.writeId === writeId ? [] : document.events.filter(({ id }) => !ids.has(id))
      if (document.writeId === writeId) document.pending = false
    }
  }

  #view(key: string, documents: boolean): OutboxView {
    const { writeId, events, pending } = this.#documents.get(key) as {
      writeId: string
      events: OutboxEvent[]
      pending: boolean
    }
    const document: Document = { tenant: 't', id: key, version: 1 }
    return { key, writeId, events: [...events], pending, tombstone: false, ...(documents && { document }) }
  }
}
