/** What the tests of the relay share: one that runs, and outboxes without a database. */
import { type ManualClock, manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import type { Document, OutboxEvent } from '../collection.ts'
import { event } from '../contract-items.fixture.ts'
import type { Outbox, OutboxView } from './outbox.ts'
import { OutboxRelay } from './outbox-relay.ts'

/** Pauses that follow each other fit into a long time only where it passes in steps. */
const STEP_MS = 50

export interface Opened {
  readonly publish?: (ids: readonly string[]) => Promise<void>
  readonly outbox?: MemoryOutbox
  /** How long each page of a sweep takes. */
  readonly pageMs?: number
}

/** A relay that runs on a clock of the test's, publishes into an array, and then does what is given. */
export function opened({ publish = async () => {}, outbox = new MemoryOutbox(), pageMs = 0 }: Opened = {}) {
  const clock: ManualClock = manualClock()
  const ending = new AbortController()
  if (pageMs > 0) outbox.beforePage = () => clock.sleep(pageMs, ending.signal).catch(() => {})
  const calls: string[][] = []
  const published: string[] = []
  const heard: string[] = []
  const setAside: string[] = []
  const lines: string[] = []
  let failSetAside = 0
  const relay = new OutboxRelay({
    outboxes: () => [outbox],
    isKnown: writeId => writeId.startsWith('ours'),
    clock,
    log: createLog({ level: 'error', format: 'json', write: line => lines.push(line) }),
    async setAside({ event }) {
      if (failSetAside-- > 0) throw new Error('no store')
      setAside.push(event.id)
    },
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
    setAside: () => setAside,
    lines: () => lines,
    failSetAside(times: number) {
      failSetAside = times
    },
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
  /** How many pages were asked for. */
  pages = 0
  beforePage = async () => {}

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
    this.pages += 1
    await this.beforePage()
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
