import type { Clock } from '@millhand/process'
import type { Outbox } from './outbox.ts'
import { Waiter } from './waiter.ts'

/** How many documents of a collection are taken at once. */
const MOST_TAKEN = 500
/** How many of a collection are noted. What comes when there are more is not; a sweep finds it. */
const MOST_NOTED = 10_000

/** Keys of documents whose outboxes are to be looked at. */
export class ChangedDocuments {
  readonly #noted = new Map<Outbox, Set<string>>()
  readonly #waiter = new Waiter()

  /** Whether it is noted now: not, where there are too many. */
  note(outbox: Outbox, key: string): boolean {
    const keys = this.#noted.get(outbox) ?? new Set()
    if (keys.size >= MOST_NOTED && !keys.has(key)) return false
    this.#noted.set(outbox, keys.add(key))
    this.#waiter.wake()
    return true
  }

  has(outbox: Outbox, key: string): boolean {
    return this.#noted.get(outbox)?.has(key) ?? false
  }

  /** Whether there are as many of a collection as are taken at once. */
  isMany(outbox: Outbox): boolean {
    return (this.#noted.get(outbox)?.size ?? 0) >= MOST_TAKEN
  }

  take(): ReadonlyMap<Outbox, readonly string[]> {
    const taken = new Map<Outbox, readonly string[]>()
    for (const [outbox, keys] of this.#noted) {
      const first = [...keys].slice(0, MOST_TAKEN)
      taken.set(outbox, first)
      if (first.length === keys.size) this.#noted.delete(outbox)
      else for (const key of first) keys.delete(key)
    }
    return taken
  }

  /** Resolves when there is one, or when the signal ends. */
  async some(signal: AbortSignal): Promise<void> {
    if (this.#noted.size > 0 || signal.aborted) return
    await this.#waiter.until(() => this.#noted.size > 0, signal)
    await new Promise(resolve => setImmediate(resolve)) // For all that is noted in the same turn.
  }

  /** Resolves when there are as many of a collection as are taken at once, after `ms`, or when the signal ends. */
  async many(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    const isMany = () => [...this.#noted.keys()].some(outbox => this.isMany(outbox))
    if (ms <= 0 || isMany()) return
    const late = new AbortController()
    const timer = clock.timer(ms, () => late.abort())
    await this.#waiter.until(isMany, AbortSignal.any([signal, late.signal]))
    timer.cancel()
  }
}
