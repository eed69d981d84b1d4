import { backoff, type Clock } from '@millhand/runner'
import type { EventName, Log } from '@millhand/telemetry'
import type { Document, OutboxEvent } from '../collection.ts'
import { NotedDocuments } from './noted-documents.ts'
import type { Outbox, OutboxView } from './outbox.ts'
import { RecentSet } from './recent-set.ts'

export interface RelayOptions {
  /** Resolves once the events are in the log; they are repeated where it rejects. */
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
  readonly clock: Clock
  readonly log: Log
}

interface FoundView {
  readonly outbox: Outbox
  readonly view: OutboxView
}

const MOST_EVENTS = 500
const SWEEP_EVERY_MS = 1_000
/** A round costs about the same for one event as for fifty: what follows within this time goes with the first. */
const GATHER_MS = 10
/** How many published events are remembered, so that what was read before they were taken out is not sent again. */
const MOST_SENT = 20_000

const waitMs = backoff({ baseMs: 100, maxMs: 1_000, random: Math.random })

/**
 * Publishes what writes leave in outboxes, in rounds: look (at what this process wrote, what it was rung for, and once
 * a second at all that is marked as pending), publish, take out. One step at a time: a document's events leave in
 * order because an outbox is always seen whole, from its oldest event. Wherever it ends, what was published and not
 * taken out is published again by the next one; nothing is ever skipped.
 */
export class OutboxRelay {
  readonly #deps: RelayDeps
  readonly #written = new NotedDocuments()
  readonly #rung = new NotedDocuments()
  readonly #sent = new RecentSet(MOST_SENT)
  /** Where a sweep is: the outboxes still to go through, and how far the first of them is done. */
  #sweep: { readonly left: readonly Outbox[]; readonly after: string } | undefined
  #sweepAt = Number.NEGATIVE_INFINITY

  constructor(deps: RelayDeps) {
    this.#deps = deps
  }

  /** This process wrote the document; `view` where that tells all that its outbox holds. */
  written(outbox: Outbox, key: string, view?: OutboxView): void {
    this.#written.note(outbox, key, view)
  }

  /** Somebody wrote the document. */
  ring(outbox: Outbox, key: string): void {
    this.#rung.note(outbox, key, undefined)
  }

  /** Resolves when the signal ends; what is being published then is waited for. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#hearing(signal), this.#publishing(signal)])
  }

  async #hearing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#rung.some(this.#deps.clock, signal, Number.POSITIVE_INFINITY)
      for (const [outbox, taken] of this.#rung.take()) {
        for (const view of await this.#read(outbox, [...taken.keys()], true, signal)) {
          const { document, ...rest } = view
          if (view.pending) this.#written.note(outbox, view.key, rest)
        }
      }
    }
  }

  async #publishing(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    while (!signal.aborted) {
      await this.#written.some(clock, signal, this.#sweepAt - clock.monotonic())
      await clock.sleep(GATHER_MS, signal).catch(() => {})
      const found = await this.#look(signal)
      await this.#deliver(found, signal)
    }
  }

  async #look(signal: AbortSignal): Promise<FoundView[]> {
    const found: FoundView[] = []
    for (const [outbox, taken] of this.#written.take()) {
      for (const view of taken.values()) if (view) found.push({ outbox, view })
      const keys = [...taken].flatMap(([key, view]) => (view ? [] : [key]))
      for (const view of await this.#read(outbox, keys, false, signal)) found.push({ outbox, view })
    }
    if (this.#deps.clock.monotonic() < this.#sweepAt) return found
    const page = await this.#insist('store.outbox_read_failed', signal, () => this.#sweepOn())
    for (const { outbox, view } of page ?? []) {
      this.#tell(outbox, view)
      found.push({ outbox, view })
    }
    return found
  }

  /** The next page of a sweep. */
  async #sweepOn(): Promise<FoundView[]> {
    const { left, after } = this.#sweep ?? { left: this.#deps.outboxes(), after: '' }
    const [outbox, ...others] = left
    const page = outbox === undefined ? [] : await outbox.waiting(after)
    const last = page.at(-1)
    this.#sweep = last ? { left, after: last.key } : { left: others, after: '' }
    if (this.#sweep.left.length === 0) {
      this.#sweep = undefined
      this.#sweepAt = this.#deps.clock.monotonic() + SWEEP_EVERY_MS
    }
    return outbox === undefined ? [] : page.map(view => ({ outbox, view }))
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
      else this.ring(outbox, key) // It was read for its events alone.
    } catch (error) {
      log.error('store.heard_failed', { collection: outbox.name, error })
    }
  }

  async #deliver(found: readonly FoundView[], signal: AbortSignal): Promise<void> {
    const events = new Map<string, OutboxEvent>()
    for (const { view } of found)
      for (const event of view.events) if (!this.#sent.has(event.id)) events.set(event.id, event)
    const all = [...events.values()]
    for (let start = 0; start < all.length; start += MOST_EVENTS) {
      const part = all.slice(start, start + MOST_EVENTS)
      await this.#insist('store.publish_failed', signal, () => this.#deps.publish(part))
      if (signal.aborted) return
      for (const { id } of part) this.#sent.add(id)
    }
    for (const [outbox, views] of Map.groupBy(found, ({ outbox }) => outbox)) {
      const newest = new Map(views.map(({ view }) => [view.key, view]))
      const pending = [...newest.values()].filter(({ pending }) => pending)
      await this.#insist('store.outbox_clear_failed', signal, () => outbox.clear(pending))
    }
  }

  /** Tries until it succeeds; undefined when the signal ends before. */
  async #insist<R>(event: EventName, signal: AbortSignal, work: () => Promise<R>): Promise<R | undefined> {
    const { clock, log } = this.#deps
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        return await work()
      } catch (error) {
        log.warn(event, { error, attempt })
        await clock.sleep(waitMs(attempt), signal).catch(() => {})
      }
    }
    return undefined
  }
}
