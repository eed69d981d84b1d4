/** So many at once, the others in their order. */
export class Turns {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Rejects with the signal's reason once that fires, while it waits. */
  async take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (this.#free > 0) {
      this.#free--
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = () => resolve()
    const giveUp = () => {
      // One that has been given its turn in the same moment keeps it.
      if (this.#waiting.delete(waiter)) reject(signal?.reason)
    }
    this.#waiting.add(waiter)
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }

  release(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free++
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
