import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { insist } from './insist.ts'
import type { Outbox, OutboxView } from './outbox.ts'

export interface ClearingOptions {
  readonly clock: Clock
  readonly log: Log
  /** Whether the document is still as this view has it, as far as is known. */
  readonly isCurrent: (outbox: Outbox, view: OutboxView) => boolean
}

interface Published {
  readonly outbox: Outbox
  readonly view: OutboxView
  readonly due: number
}

/**
 * How long published events may stay in an outbox: a document that has just been written is often written again soon, and
 * that write takes them out. They are published again where the relay ends before.
 */
const REST_MS = 250
/** Those that are due so soon go together. */
const TOGETHER_MS = 20
/** With more than this the relay waits. */
const MOST_RESTING = 2_000
const FAILED = 'store.outbox_clear_failed'
/** How long the end of the relay may be held up by a store that does not answer. */
const LAST_MS = 500

/** Takes published events out of the outboxes of documents that are not written again soon. */
export class OutboxClearing {
  readonly #options: ClearingOptions
  /** By collection and key, in the order of their times. */
  readonly #resting = new Map<string, Published>()
  #wake = () => {}

  constructor(options: ClearingOptions) {
    this.#options = options
  }

  /** The events of these are published. Resolves when more may follow. */
  async add(outbox: Outbox, views: readonly OutboxView[], signal: AbortSignal): Promise<void> {
    const due = this.#options.clock.monotonic() + REST_MS
    for (const view of views) {
      this.drop(outbox, view.key)
      this.#resting.set(nameOf(outbox, view.key), { outbox, view, due })
    }
    this.#wake()
    if (this.#resting.size > MOST_RESTING) await this.#clear(due, signal)
  }

  /** Takes out the events of these now, whatever has been written since. */
  async now(outbox: Outbox, views: readonly OutboxView[], signal: AbortSignal): Promise<void> {
    if (views.length > 0) await this.#insist(signal, () => outbox.clear(views, () => true))
  }

  /** The document was written again. */
  drop(outbox: Outbox, key: string): void {
    this.#resting.delete(nameOf(outbox, key))
  }

  /** Resolves when the signal ends, and what is published by then is taken out, or the store has not answered for long. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted) {
      await this.#some(signal)
      const [first] = this.#resting.values()
      if (first === undefined) continue
      await clock.sleep(first.due - clock.monotonic(), signal).catch(() => {})
      if (!signal.aborted) await this.#clear(clock.monotonic() + TOGETHER_MS, signal)
    }
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = clock.timer(LAST_MS, resolve)
    await Promise.race([this.#last(), late])
    timer.cancel()
  }

  async #clear(by: number, signal: AbortSignal): Promise<void> {
    for (const [outbox, views] of this.#take(by)) await this.#insist(signal, () => this.#clearOnce(outbox, views))
  }

  async #last(): Promise<void> {
    for (const [outbox, views] of this.#take(Number.POSITIVE_INFINITY))
      await this.#clearOnce(outbox, views).catch(error => this.#options.log.warn(FAILED, { error, attempt: 1 }))
  }

  /** What was written meanwhile is left to its own view. */
  #clearOnce(outbox: Outbox, views: readonly OutboxView[]): Promise<void> {
    return outbox.clear(views, view => this.#options.isCurrent(outbox, view))
  }

  async #insist(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    await insist(this.#options, FAILED, signal, work)
  }

  #take(by: number): ReadonlyMap<Outbox, readonly OutboxView[]> {
    const taken = new Map<Outbox, OutboxView[]>()
    for (const [name, { outbox, view, due }] of this.#resting) {
      if (due > by) break
      this.#resting.delete(name)
      const views = taken.get(outbox)
      if (views) views.push(view)
      else taken.set(outbox, [view])
    }
    return taken
  }

  async #some(signal: AbortSignal): Promise<void> {
    if (this.#resting.size > 0 || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const end = () => resolve()
    signal.addEventListener('abort', end)
    await promise
    signal.removeEventListener('abort', end)
  }
}

const nameOf = (outbox: Outbox, key: string) => `${outbox.name} ${key}`
