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
export class MemoryOutbox implements Outbox {
  readonly name = 'items'
  readonly #documents = new Map<string, Kept>()
  #writes = 0
  /** How many of the next calls fail. */
  fail = 0
  failClear = 0
  /** Of those that fail, whether what was to be cleared is cleared all the same. */
  isClearMade = false
  /** How many pages were asked for. */
  pages = 0
  beforePage = async () => {}
  /** How many outboxes were read by their keys. */
  reads = 0
  /** The keys of what was cleared, in order. */
  readonly cleared: string[] = []
  /** On the way to the store, and on the way back. */
  onTheWay = async () => {}

  /** What a writer needs to know of a document. */
  document = (key: string): Readonly<Kept> | undefined => this.#documents.get(key)

  /** `carries`: what is in the outbox is taken out. */
  write(key: string, ids: readonly string[], by = 'ours', carries = false): OutboxView {
    const { version, events: there } = this.#documents.get(key) ?? { version: 0, events: [] }
    const events = carries ? [] : there
    const writeId = `${by}.${++this.#writes}`
    const more = ids.map(id => event(key, id))
    this.#documents.set(key, {
      version: version + 1,
      writeId,
      token: writeId,
      events: [...events, ...more],
      pending: true,
    })
    return this.#view(key, false)
  }

  /** The same, told as by a process that knows what the write before has left. */
  follow(key: string, ids: readonly string[], carries = false): OutboxView {
    const follows = this.#documents.get(key)?.writeId
    return { ...this.write(key, ids, 'ours', carries), follows, events: ids.map(id => event(key, id)) }
  }

  ids = (key: string): readonly string[] => this.#documents.get(key)?.events.map(({ id }) => id) ?? []

  /** What an operator does with an event that was set aside. */
  putBack(key: string, id: string): void {
    const there = this.#documents.get(key) as Kept
    this.#documents.set(key, { ...there, events: [event(key, id), ...there.events], pending: true, writeId: id })
  }

  pending = () => [...this.#documents].flatMap(([key, { pending }]) => (pending ? [key] : [])).sort()

  async read(keys: readonly string[], options: { readonly documents: boolean }) {
    await this.onTheWay()
    if (this.fail-- > 0) throw new Error('no store')
    this.reads += keys.length
    const views = keys.filter(key => this.#documents.has(key)).map(key => this.#view(key, options.documents))
    await this.onTheWay()
    return views
  }

  async waiting(after: string) {
    this.pages += 1
    await this.beforePage()
    const page = this.pending().filter(key => key > after)
    const views = page.slice(0, 2).map(key => this.#view(key, true))
    await this.onTheWay()
    return views
  }

  async clear(views: readonly OutboxView[]) {
    await this.onTheWay()
    const isFailing = this.failClear-- > 0
    if (!isFailing || this.isClearMade) for (const view of views) this.#clear(view)
    await this.onTheWay()
    if (isFailing) throw new Error('no store')
  }

  #clear({ key, writeId, events }: OutboxView): void {
    this.cleared.push(key)
    const document = this.#documents.get(key)
    if (!document) return
    const ids = new Set(events.map(({ id }) => id))
    const isUntouched = document.writeId === writeId
    const left = isUntouched ? [] : document.events.filter(({ id }) => !ids.has(id))
    this.#documents.set(key, { ...document, events: left, pending: !isUntouched && document.pending })
  }

  #view(key: string, documents: boolean): OutboxView {
    const { version, writeId, token, events, pending } = this.#documents.get(key) as Kept
    const document: Document = { tenant: 't', id: key, version }
    const whole = { key, writeId, events: [...events], pending, tombstone: false, ...(documents && { document }) }
    return { ...whole, version: writeId === token ? version : undefined }
  }
}

interface Kept {
  readonly version: number
  readonly writeId: string
  /** Of the latest write: an operator changes `writeId` alone. */
  readonly token: string
  readonly events: readonly OutboxEvent[]
  readonly pending: boolean
}
