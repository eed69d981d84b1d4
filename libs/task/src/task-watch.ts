/** Who waits for a task to change, in memory: woken by what changes it, never by asking the store again. */
import type { Clock } from '@millhand/process'
import type { TaskBase } from './task.ts'

export class TaskWatch<T extends TaskBase> {
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<Subscription<T>>>()
  #hears = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How many tasks somebody waits for. */
  get size(): number {
    return this.#waiting.size
  }

  /** Every change is heard here from now on until the signal ends. */
  hear(signal: AbortSignal): void {
    this.#hears = !signal.aborted
    const end = () => {
      this.#hears = false
      this.endAll()
    }
    signal.addEventListener('abort', end, { once: true })
  }

  changed(task: T): void {
    const waiting = this.#waiting.get(task.id)
    if (waiting) for (const one of [...waiting]) one.tell(task)
  }

  /** Ends every wait as if its time were over: changes are heard elsewhere now. */
  endAll(): void {
    for (const waiting of [...this.#waiting.values()]) for (const one of [...waiting]) one.settle()
  }

  /**
   * Calls `begin` once changes are heard, and resolves with its answer or a later state of the task as soon as
   * `enough` says so, else with the latest: after `timeoutMs`, when the signal ends, or once changes are heard elsewhere.
   */
  async until(
    id: string,
    begin: () => Promise<T>,
    enough: (task: T) => boolean,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<T> {
    const subscription = this.subscribe(id)
    const end = () => subscription.settle()
    const timer = this.#clock.timer(timeoutMs, end)
    signal.addEventListener('abort', end, { once: true })
    try {
      let latest = await begin()
      subscription.tell(latest)
      while (!enough(latest) && !signal.aborted) {
        const next = await subscription.next()
        if (next === undefined) break
        latest = next
      }
      return latest
    } finally {
      timer.cancel()
      signal.removeEventListener('abort', end)
      subscription.settle()
    }
  }

  /** Hears of the task until that is settled; ended from the beginning where changes are heard elsewhere. */
  subscribe(id: string): Subscription<T> {
    const subscription = new Subscription<T>(() => this.#remove(id, subscription))
    if (this.#hears) this.#add(id, subscription)
    else subscription.settle()
    return subscription
  }

  #add(id: string, one: Subscription<T>): void {
    const waiting = this.#waiting.get(id)
    if (waiting) waiting.add(one)
    else this.#waiting.set(id, new Set([one]))
  }

  #remove(id: string, one: Subscription<T>): void {
    const waiting = this.#waiting.get(id)
    waiting?.delete(one)
    if (waiting?.size === 0) this.#waiting.delete(id)
  }
}

/** One that hears of a task, for one reader: it keeps the latest state until that is asked for, and then none. */
class Subscription<T extends TaskBase> {
  readonly #release: () => void
  #seen = 0
  #latest: T | undefined
  #wake: (() => void) | undefined
  #isOver = false

  constructor(release: () => void) {
    this.#release = release
  }

  tell(task: T): void {
    if (this.#isOver || task.version <= this.#seen) return
    this.#seen = task.version
    this.#latest = task
    this.#wake?.()
  }

  /** The latest state that was not asked for yet, as soon as there is one; undefined once this has ended and that is told. */
  async next(): Promise<T | undefined> {
    if (this.#latest === undefined && !this.#isOver) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    const latest = this.#latest
    this.#latest = undefined
    return latest
  }

  /** Ends it. Idempotent. */
  settle(): void {
    this.#isOver = true
    this.#release()
    this.#wake?.()
  }
}
