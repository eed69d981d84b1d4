/** What the tests of the relay share: one that runs, and outboxes without a database. */
import assert from 'node:assert/strict'
import { type ManualClock, manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import type { Document, OutboxEvent } from '../collection.ts'
import { event } from '../contract-items.fixture.ts'
import type { MadeWrite } from './known-outboxes.ts'
import type { Outbox, OutboxMark, OutboxView } from './outbox.ts'
import { OutboxRelay } from './outbox-relay.ts'
import type { ExpectedOutbox } from './write-statement.ts'

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
  /** A write of this process begins; what is returned makes it. Without events it fails. */
  const begin = (key: string) => {
    const ongoing = relay.known.beginWrite(outbox, key, true)
    assert.ok(ongoing)
    return (events?: readonly OutboxEvent[]) =>
      relay.known.endWrite(ongoing, events && outbox.write(key, events, 'ours', ongoing.expected))
  }
  return {
    relay,
    outbox,
    begin: (key: string) => {
      const end = begin(key)
      return (ids?: readonly string[]) => end(ids?.map(id => event(key, id)))
    },
    /** A write of this process, as the relay is told of it. */
    own: (key: string, ids: readonly string[], fields: Partial<OutboxEvent> = {}) =>
      begin(key)(ids.map(id => ({ ...event(key, id), ...fields }))),
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
  readonly #documents = new Map<string, { writeId: string; events: readonly OutboxEvent[]; pending: boolean }>()
  #writes = 0
  /** How many of the next calls fail. */
  fail = 0
  failClear = 0
  /** How many pages were asked for. */
  pages = 0
  /** The keys of each read and clear. */
  readonly reads: (readonly string[])[] = []
  readonly clears: (readonly string[])[] = []
  beforePage = async () => {}
  /** After a clear was made, and before it is answered. */
  afterClear = async () => {}

  /** A write, with the ids of its events; `expected` of this process. */
  write(
    key: string,
    events: readonly (string | OutboxEvent)[],
    by = 'ours',
    expected: ExpectedOutbox | undefined = undefined,
  ): MadeWrite {
    const made = events.map(one => (typeof one === 'string' ? event(key, one) : one))
    const there = this.#documents.get(key)
    const isExpected = there && (expected?.writeId ? there.writeId === expected.writeId : !there.pending)
    const isExact = expected !== undefined && (isExpected ?? true)
    const before = (isExact && expected.keeps) || (there?.events ?? [])
    const writeId = `${by}.${++this.#writes}`
    this.#documents.set(key, { writeId, events: [...before, ...made], pending: true })
    return { writeId, kind: there ? 'replace' : 'insert', events: made, isExact }
  }

  pending = () => [...this.#documents].flatMap(([key, { pending }]) => (pending ? [key] : [])).sort()

  idsOf = (key: string) => this.#documents.get(key)?.events.map(({ id }) => id)

  async read(keys: readonly string[], options: { readonly documents: boolean }) {
    if (this.fail-- > 0) throw new Error('no store')
    this.reads.push(keys)
    return keys.filter(key => this.#documents.has(key)).map(key => this.#view(key, options.documents))
  }

  async waiting(after: string) {
    this.pages += 1
    await this.beforePage()
    return this.pending()
      .filter(key => key > after)
      .slice(0, 2)
      .map(key => this.#view(key, false))
  }

  async clear(marks: readonly OutboxMark[]) {
    if (this.failClear-- > 0) throw new Error('no store')
    this.clears.push(marks.map(({ key }) => key))
    let cleared = 0
    for (const { key, writeId } of marks) {
      if (this.#documents.get(key)?.writeId !== writeId) continue
      this.#documents.set(key, { writeId, events: [], pending: false })
      cleared += 1
    }
    await this.afterClear()
    return cleared === marks.length
  }

  #view(key: string, documents: boolean): OutboxView {
    const { writeId, events, pending } = this.#documents.get(key) as {
      writeId: string
      events: readonly OutboxEvent[]
      pending: boolean
    }
    const document: Document = { tenant: 't', id: key, version: 1 }
    return { key, writeId, events: [...events], pending, tombstone: false, ...(documents && { document }) }
  }
}
