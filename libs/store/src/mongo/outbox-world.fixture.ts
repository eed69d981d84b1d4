/** Two processes that write the same documents, each with a relay or without, on outboxes in memory. */
import { type ManualClock, manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import type { OutboxEvent } from '../collection.ts'
import { event } from '../contract-items.fixture.ts'
import { EventsRefused } from '../events-refused.ts'
import { MemoryOutbox } from './outbox-relay.fixture.ts'
import { OutboxRelay } from './outbox-relay.ts'

export interface Step {
  /** How long after the step before. */
  readonly afterMs: number
  readonly does:
    | {
        readonly kind: 'write'
        readonly by: number
        readonly key: string
        readonly sentMs: number
        readonly answeredMs: number
        readonly rings: boolean
      }
    | { readonly kind: 'slow'; readonly ms: number }
    | { readonly kind: 'start' | 'stop'; readonly by: number }
    | { readonly kind: 'no log' | 'no reads' | 'no clears' | 'lost clears' | 'refuse' | 'put back' }
}

/** How many calls in a row fail. */
const FAILURES = 3
/** An operator is slower than a relay that takes out, at the fourth attempt, what it has set aside. */
const OPERATOR_MS = 2_000
/** Longer than all pauses of a relay together. */
const LONG_MS = 10_000

export class World {
  readonly #clock: ManualClock = manualClock()
  readonly #outbox = new MemoryOutbox()
  readonly #relays: (Running | undefined)[] = [undefined, undefined]
  readonly #written = new Map<string, string[]>()
  readonly #writing = new Set<string>()
  readonly #published: string[] = []
  /** What was refused, with its key; it waits until it is put back. */
  readonly #setAside = new Map<string, { readonly key: string; readonly at: number; waits: boolean }>()
  readonly #forever = new AbortController().signal
  /** What the log has ever refused, also where the relay did not live to hear it. */
  readonly #refusedOnce = new Set<string>()
  #wayMs = 0
  #noLog = 0
  #refusesNext = false

  constructor() {
    this.#outbox.onTheWay = () => this.#sleep(this.#wayMs)
    this.#start(0)
  }

  async step({ afterMs, does }: Step): Promise<void> {
    await this.#advance(afterMs)
    await this.#do(does)
    await this.#advance(0)
  }

  /** What was published, refused, written and is pending when all has been well for long. */
  async end() {
    this.#wayMs = 0
    this.#noLog = 0
    this.#outbox.fail = 0
    this.#outbox.failClear = 0
    this.#start(0)
    await this.#advance(LONG_MS)
    const pending = this.#outbox.pending()
    // Refused, and neither kept nor published since.
    const isKept = (id: string) => this.#setAside.get(id)?.waits || this.#published.includes(id)
    const lost = [...this.#refusedOnce].filter(id => !isKept(id))
    for (const by of [0, 1]) await this.#stop(by)
    return { published: this.#published, refused: this.#refusedOnce, written: this.#written, pending, lost }
  }

  async #do(does: Step['does']): Promise<void> {
    switch (does.kind) {
      case 'write':
        return void this.#write(does)
      case 'slow':
        this.#wayMs = does.ms
        return
      case 'start':
        return this.#start(does.by)
      case 'stop':
        return await this.#stop(does.by)
      case 'no log':
        this.#noLog = FAILURES
        return
      case 'no reads':
        this.#outbox.fail = FAILURES
        return
      case 'no clears':
      case 'lost clears':
        this.#outbox.failClear = FAILURES
        this.#outbox.isClearMade = does.kind === 'lost clears'
        return
      case 'refuse':
        this.#refusesNext = true
        return
      case 'put back':
        return this.#putBack()
    }
  }

  /** As a collection writes: the statement is made, reaches the store, and is answered. */
  async #write({ by, key, sentMs, answeredMs, rings }: Step['does'] & { kind: 'write' }): Promise<void> {
    const outbox = this.#outbox
    const name = `${by} ${key}`
    if (this.#writing.has(name)) return
    this.#writing.add(name)
    const version = outbox.document(key)?.version
    const known = version === undefined ? undefined : this.#relays[by]?.relay.known(outbox, key, version)
    await this.#sleep(sentMs)
    const there = outbox.document(key)
    if (there?.version === version) {
      const before = known && there?.writeId === known.writeId ? known : undefined
      const follows = before?.writeId
      const ids = this.#written.get(key) ?? []
      const id = `${key}${ids.length}`
      this.#written.set(key, [...ids, id])
      const view = outbox.write(key, [id], `by${by}`, before?.isPublished)
      await this.#sleep(answeredMs)
      const isKnown = version === undefined || follows !== undefined
      const told = { ...view, follows, events: [event(key, id)] }
      const relay = this.#relays[by]?.relay
      if (relay) relay.written(outbox, key, isKnown ? told : undefined)
      else if (rings) this.#relays[1 - by]?.relay.ring(outbox, key)
    }
    this.#writing.delete(name)
  }

  #putBack(): void {
    for (const [id, dead] of this.#setAside) {
      if (!dead.waits || this.#clock.monotonic() < dead.at + OPERATOR_MS) continue
      this.#outbox.putBack(dead.key, id)
      dead.waits = false
    }
  }

  #start(by: number): void {
    if (this.#relays[by]) return
    const ending = new AbortController()
    const relay = new OutboxRelay({
      outboxes: () => [this.#outbox],
      isKnown: writeId => writeId.startsWith(`by${by}`),
      clock: this.#clock,
      log: createLog({ level: 'error', format: 'json', write: () => {} }),
      setAside: async ({ document, event }) => {
        if (!this.#setAside.has(event.id))
          this.#setAside.set(event.id, { key: document, at: this.#clock.monotonic(), waits: true })
      },
      heard: () => {},
      publish: events => this.#publish(events),
    })
    this.#relays[by] = { relay, ending, running: relay.run(ending.signal) }
  }

  async #stop(by: number): Promise<void> {
    const { ending, running } = this.#relays[by] ?? {}
    this.#relays[by] = undefined
    ending?.abort()
    let runs = running !== undefined
    void running?.then(() => {
      runs = false
    })
    while (runs) await this.#advance(STEP_MS)
  }

  async #publish(events: readonly OutboxEvent[]): Promise<void> {
    await this.#sleep(this.#wayMs)
    if (this.#noLog-- > 0) throw new Error('no log')
    const refused = this.#refused(events)
    this.#published.push(...events.filter(({ id }) => id !== refused).map(({ id }) => id))
    await this.#sleep(this.#wayMs)
    if (refused !== undefined) throw new EventsRefused(new Map([[refused, 'too large']]))
  }

  /** An event is refused until an operator puts it back. */
  #refused(events: readonly OutboxEvent[]): string | undefined {
    const again = events.find(({ id }) => this.#setAside.get(id)?.waits)
    if (again || !this.#refusesNext) return again?.id
    this.#refusesNext = false
    const fresh = events.find(({ id }) => !this.#published.includes(id) && !this.#setAside.has(id))
    if (fresh) this.#refusedOnce.add(fresh.id)
    return fresh?.id
  }

  #sleep = (ms: number): Promise<void> => (ms > 0 ? this.#clock.sleep(ms, this.#forever) : Promise.resolve())

  /** In small steps: what a promise sets off may be several turns away. */
  async #advance(ms: number): Promise<void> {
    for (let passed = 0; ; passed += STEP_MS) {
      for (let turn = 0; turn < TURNS; turn++) await this.#clock.advance(0)
      if (passed >= ms) return
      await this.#clock.advance(Math.min(STEP_MS, ms - passed))
    }
  }
}

const STEP_MS = 50
const TURNS = 10

interface Running {
  readonly relay: OutboxRelay
  readonly ending: AbortController
  readonly running: Promise<void>
}
