import { backoff, type Clock, retry } from '@millhand/process'
import { type EventName, type Log, processMetrics } from '@millhand/telemetry'
import type { Document, OutboxEvent } from '../collection.ts'
import { EventsRefused } from '../events-refused.ts'
import { ChangedDocuments } from './changed-documents.ts'
import { type KnownOutbox, KnownOutboxes } from './known-outboxes.ts'
import type { Outbox, OutboxMark, OutboxView } from './outbox.ts'

export interface RelayOptions {
  /** Resolves once the events are in the log. They are repeated where it rejects, but those that `EventsRefused` names. */
  readonly publish: (events: readonly OutboxEvent[]) => Promise<void>
  /**
   * Hears of documents as they are in the store, that others than this process have changed, or it with an outcome
   * that it does not know. Does not wait for `publish`. May hear of one twice.
   */
  readonly heard?: (collection: string, document: Document) => void
}

export interface RelayDeps extends RelayOptions {
  readonly outboxes: () => readonly Outbox[]
  /** Whether a write was made by this process, which knows of it. */
  readonly isKnown: (writeId: string) => boolean
  /** Keeps an event that the log refuses, so that it can be found; its outbox is emptied then. May be called again. */
  readonly setAside: (refused: RefusedEvent) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

export interface RefusedEvent {
  readonly collection: string
  /** The document's key. */
  readonly document: string
  readonly event: OutboxEvent
  readonly reason: string
}

interface DueEvent {
  readonly known: KnownOutbox
  readonly event: OutboxEvent
}

const MOST_EVENTS = 500
/** How many outboxes one command clears: the server takes 100,000 at most, and the other loops wait for its making. */
const MOST_CLEARED = 500
const SWEEP_EVERY_MS = 1_000
/** A sweep takes at most this share of the time: while the log is away, each reads all that waits for it. */
const SWEEP_SHARE = 0.2
/**
 * Rounds begin no closer together, unless they are full: at 200 tasks a second a process with all of compute took 3.4 ms
 * of processor time a task where each event was sent at once, 2.8 with 5 ms between rounds, 2.4 with 10.
 */
const PACE_MS = 10
/**
 * How long an outbox rests before it is cleared. A document that is written again sooner is cleared by that write: most
 * tasks have their three writes within this.
 */
const IDLE_MS = 100

const recordDelay = processMetrics.boundHistogram('millhand_outbox_delay_seconds', {})

const waitMs = backoff({ baseMs: 100, maxMs: 1_000, random: Math.random })

/**
 * Publishes what writes leave in outboxes, in rounds: at once after quiet, then one in 10 ms, look (at what this process
 * wrote, what it was rung for, and what a sweep of all that is pending found, once a second) and publish. One step at a
 * time: a document's events leave in order because an outbox is always known whole, from its oldest event. What this
 * process wrote is known without a read, unless more was written than it knows of. What was published is taken out by
 * the next write of the document, or once that rests. Wherever the relay ends, what was published and not taken out is
 * published again by the next one; nothing is ever skipped. What the log refuses for what it is would hold up everybody
 * for ever: it is set aside, and the log tells of it.
 */
export class OutboxRelay {
  readonly #deps: RelayDeps
  /** What this process knows of outboxes; its writes tell of themselves there. */
  readonly known: KnownOutboxes
  readonly #rung = new ChangedDocuments()
  /** When the oldest event was made that is being published. */
  #oldest = Number.POSITIVE_INFINITY

  constructor(deps: RelayDeps) {
    this.#deps = deps
    this.known = new KnownOutboxes(deps.clock)
  }

  /** Somebody wrote the document. */
  ring(outbox: Outbox, key: string): void {
    this.#rung.note(outbox, key)
  }

  /**
   * Resolves when the signal ends, also while the log does not answer: what is being published then is repeated. What is
   * published is taken out before, if the store answers.
   */
  async run(signal: AbortSignal): Promise<void> {
    const end = processMetrics.observe(() => [
      { name: 'millhand_outbox_oldest_seconds', labels: {}, value: this.#ageOf(this.#oldest) },
    ])
    await Promise.all([this.#hearing(signal), this.#sweeping(signal), this.#publishing(signal), this.#clearing(signal)])
    const onFailure = (error: unknown) => this.#deps.log.warn('store.outbox_clear_failed', { error, attempt: 1 })
    await Promise.all([...this.known.idle(0)].map(([outbox, marks]) => outbox.clear(marks).catch(onFailure)))
    end()
  }

  /** In seconds; 0 of none. */
  #ageOf(time: number): number {
    return Math.max(0, this.#deps.clock.now() - time) / 1_000
  }

  async #sweeping(signal: AbortSignal): Promise<void> {
    const { clock, outboxes } = this.#deps
    for (let pauseMs = 0; !signal.aborted; ) {
      await clock.sleep(pauseMs, signal).catch(() => {})
      const began = clock.monotonic()
      for (const outbox of outboxes()) await this.#sweep(outbox, signal)
      pauseMs = Math.max(SWEEP_EVERY_MS, (clock.monotonic() - began) * (1 / SWEEP_SHARE - 1))
    }
  }

  async #sweep(outbox: Outbox, signal: AbortSignal): Promise<void> {
    for (let after = ''; !signal.aborted; ) {
      const page = (await this.#insist('store.outbox_read_failed', signal, () => outbox.waiting(after))) ?? []
      const missed = page.filter(({ key, writeId }) => this.known.get(outbox, key)?.writeId !== writeId)
      await this.#hear(outbox, keysOf(missed), signal)
      const last = page.at(-1)
      if (last === undefined) return
      after = last.key
    }
  }

  async #hearing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#rung.some(signal)
      for (const [outbox, keys] of this.#rung.take()) await this.#hear(outbox, keys, signal)
    }
  }

  /** Apart from the publishing, so that what others have written is heard of also while the log is away. */
  async #hear(outbox: Outbox, keys: readonly string[], signal: AbortSignal): Promise<void> {
    const begun = new Map(keys.map(key => [key, this.known.begin(outbox, key)]))
    for (const view of await this.#read(outbox, keys, true, signal))
      this.known.saw(begun.get(view.key) as KnownOutbox, view)
    for (const known of begun.values()) this.known.end(known)
  }

  async #publishing(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const { due } = this.known
    for (let began = Number.NEGATIVE_INFINITY; !signal.aborted; ) {
      await due.some(signal)
      await due.many(clock, began + PACE_MS - clock.monotonic(), signal)
      began = clock.monotonic()
      const events = await this.#look(signal)
      for (let start = 0; start < events.length && !signal.aborted; start += MOST_EVENTS)
        await this.#publish(events.slice(start, start + MOST_EVENTS), signal)
      this.#oldest = Number.POSITIVE_INFINITY
    }
  }

  async #look(signal: AbortSignal): Promise<DueEvent[]> {
    const found: DueEvent[] = []
    for (const [outbox, keys] of this.known.due.take()) {
      const taken = keys.flatMap(key => this.known.get(outbox, key) ?? [])
      const toRead = taken.filter(({ toRead }) => toRead)
      const read = await this.#read(outbox, keysOf(toRead), false, signal)
      if (signal.aborted) return []
      const views = new Map(read.map(view => [view.key, view]))
      for (const known of toRead) this.known.read(known, views.get(known.key))
      for (const known of taken) for (const event of known.unsent) found.push({ known, event })
    }
    return found
  }

  async #clearing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.known.some(signal)
      await this.#deps.clock.sleep(IDLE_MS, signal).catch(() => {})
      for (const [outbox, marks] of this.known.idle(IDLE_MS))
        for (let start = 0; start < marks.length; start += MOST_CLEARED)
          await this.#clear(outbox, marks.slice(start, start + MOST_CLEARED), signal)
    }
  }

  async #clear(outbox: Outbox, marks: readonly OutboxMark[], signal: AbortSignal): Promise<void> {
    const isAll = await this.#insist('store.outbox_clear_failed', signal, () => outbox.clear(marks))
    if (isAll !== undefined) this.known.cleared(outbox, marks, isAll)
  }

  async #read(outbox: Outbox, keys: readonly string[], documents: boolean, signal: AbortSignal): Promise<OutboxView[]> {
    if (keys.length === 0) return []
    const read = () => outbox.read(keys, { documents })
    const views = (await this.#insist('store.outbox_read_failed', signal, read)) ?? []
    for (const view of views) this.#tell(outbox, view)
    return views
  }

  #tell(outbox: Outbox, { key, writeId, document, tombstone }: OutboxView): void {
    const { heard, isKnown, log } = this.#deps
    if (!heard || tombstone || isKnown(writeId)) return
    try {
      if (document) heard(outbox.name, document)
      // It was read for its events alone.
      else if (!this.#rung.note(outbox, key)) this.known.changed(outbox, key)
    } catch (error) {
      log.error('store.heard_failed', { collection: outbox.name, error })
    }
  }

  async #publish(part: readonly DueEvent[], signal: AbortSignal): Promise<void> {
    const { publish } = this.#deps
    const events = part.map(({ event }) => event)
    this.#oldest = Math.min(...events.map(({ time }) => time))
    const refused = await this.#insist('store.publish_failed', signal, () =>
      unlessEnded(refusals(publish(events)), signal),
    )
    if (refused === undefined) return
    for (const { time } of events) recordDelay(this.#ageOf(time))
    for (const { known, event } of part) {
      const reason = refused.get(event.id)
      const { key, outbox } = known
      if (reason !== undefined) {
        await this.#setAside({ collection: outbox.name, document: key, event, reason }, signal)
        if (signal.aborted) return
      }
      this.known.published(known, event, reason !== undefined)
    }
  }

  async #setAside(refused: RefusedEvent, signal: AbortSignal): Promise<void> {
    const { log, setAside } = this.#deps
    const { collection, document, reason, event } = refused
    const { id: event_id, type, value } = event
    const bytes = Buffer.byteLength(value)
    log.error('store.event_set_aside', { event_id, type, bytes, collection, document, reason })
    await this.#insist('store.set_aside_failed', signal, () => setAside(refused))
  }

  /** Tries until it succeeds; undefined when the signal ends before. */
  async #insist<R>(event: EventName, signal: AbortSignal, work: () => Promise<R>): Promise<R | undefined> {
    const { clock, log } = this.#deps
    if (signal.aborted) return undefined
    const onFailure = (error: unknown, attempt: number) => log.warn(event, { error, attempt })
    return await retry(work, { clock, waitMs, signal, onFailure }).catch(() => undefined)
  }
}

const keysOf = (found: readonly { readonly key: string }[]): string[] => found.map(({ key }) => key)

/** What the log refuses of what is published, and why; rejects where all is to be repeated. */
async function refusals(publishing: Promise<void>): Promise<ReadonlyMap<string, string>> {
  try {
    await publishing
    return new Map()
  } catch (error) {
    if (error instanceof EventsRefused) return error.reasons
    throw error
  }
}

/** Settles as the work does, or rejects when the signal ends first. */
async function unlessEnded<R>(work: Promise<R>, signal: AbortSignal): Promise<R> {
  const ended = Promise.withResolvers<never>()
  const end = () => ended.reject(signal.reason)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    return await Promise.race([work, ended.promise])
  } finally {
    signal.removeEventListener('abort', end)
    work.catch(() => {})
    ended.promise.catch(() => {})
  }
}
