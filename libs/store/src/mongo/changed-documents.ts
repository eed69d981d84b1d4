import type { Clock } from '@millhand/process'
import type { Outbox, OutboxView } from './outbox.ts'

/** How many documents of a collection are taken at once. */
const MOST_TAKEN = 500
/** How many of a collection are noted. What comes when there are more is not; a sweep finds it. */
const MOST_NOTED = 10_000

/** Keys of documents whose outboxes are to be looked at, with what is in there where that is known. */
export class ChangedDocuments {
  readonly #noted = new Map<Outbox, Map<string, OutboxView | undefined>>()
  #wake = () => {}

  note(outbox: Outbox, key: string, view: OutboxView | undefined): void {
    const keys = this.#noted.get(outbox) ?? new Map<string, OutboxView | undefined>()
    this.#noted.set(outbox, keys)
    if (keys.has(key)) keys.set(key, undefined)
    // What can't be taken next may wait for long, and is read then: no more is held in memory.
    else if (keys.size < MOST_NOTED) keys.set(key, keys.size < MOST_TAKEN ? view : undefined)
    this.#wake()
  }

  take(): ReadonlyMap<Outbox, ReadonlyMap<string, OutboxView | undefined>> {
    const taken = new Map<Outbox, Map<string, OutboxView | undefined>>()
    for (const [outbox, keys] of this.#noted) {
      const first = keys.size <= MOST_TAKEN ? keys : new Map([...keys].slice(0, MOST_TAKEN))
      taken.set(outbox, first)
      if (first === keys) this.#noted.delete(outbox)
      else for (const key of first.keys()) keys.delete(key)
    }
    return taken
  }

  /** Resolves when there is one, or when the signal ends. */
  async some(signal: AbortSignal): Promise<void> {
    if (this.#noted.size > 0 || signal.aborted) return
    await this.#until(() => this.#noted.size > 0, signal)
    await new Promise(resolve => setImmediate(resolve)) // For all that is noted in the same turn.
  }

  /** Resolves when there are as many of a collection as are taken at once, after `ms`, or when the signal ends. */
  async many(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    const isMany = () => [...this.#noted.values()].some(keys => keys.size >= MOST_TAKEN)
    if (ms <= 0 || isMany()) return
    const late = new AbortController()
    const timer = clock.timer(ms, () => late.abort())
    await this.#until(isMany, AbortSignal.any([signal, late.signal]))
    timer.cancel()
  }

  async #until(done: () => boolean, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    signal.addEventListener('abort', wake)
    if (signal.aborted) wake()
    this.#wake = () => {
      if (done()) wake()
    }
    await promise
    signal.removeEventListener('abort', wake)
  }
}
