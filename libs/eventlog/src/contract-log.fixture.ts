/** The logs and events that the contract's tests work with. */
import { afterEach, beforeEach } from 'node:test'
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

export const A = 'contract.a.v1'
export const B = 'contract.b.v1'

/** A log for each test of this describe. What reads from it ends with the test. */
export function eachTest(open: () => Promise<OpenLog>) {
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

  return {
    get log() {
      return opened.log
    },
    get signal() {
      return stop.signal
    },
    append: (...events: OutboxEvent[]) => opened.append(...events),
    async reopen() {
      opened = await opened.reopen()
    },
    /** Takes note of what ends with the test. */
    runs(work: Promise<unknown>) {
      running.push(work)
    },
    /** Subscribes until the test ends, and collects what comes. */
    collect(group: string, topics: readonly string[], signal = stop.signal) {
      const inbox = new Inbox()
      const ended = opened.log.subscribe(group, topics, async events => inbox.add(events), signal)
      running.push(ended)
      return { inbox, ended }
    },
  }
}

/** What a subscription was given; an event that came more than once counts once. */
export class Inbox {
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

export const event = (topic: string, key: string, n: number): OutboxEvent => ({
  topic,
  key,
  id: `${key}.${n}`,
  type: 'thing.changed',
  time: 1_700_000_000_000 + n,
  value: JSON.stringify({ n, text: '日本 😀 \u0000' }),
})

export const idsUpTo = (key: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${key}.${i + 1}`)

export const withoutPosition = ({ position: _, tenant: __, ...event }: LoggedEvent): OutboxEvent => event
