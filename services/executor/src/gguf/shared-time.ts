/** Of time that several runs have together, the share of each: an equal part of every moment that it is on. */
export class SharedTime {
  readonly #now: () => number
  readonly #shares = new Map<object, number>()
  #countedAt = 0

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now
  }

  begin(run: object): void {
    this.#count()
    this.#shares.set(run, 0)
  }

  /** Milliseconds that were the run's. */
  end(run: object): number {
    this.#count()
    const share = this.#shares.get(run) ?? 0
    this.#shares.delete(run)
    return share
  }

  #count(): void {
    const now = this.#now()
    const share = (now - this.#countedAt) / this.#shares.size
    for (const [run, ms] of this.#shares) this.#shares.set(run, ms + share)
    this.#countedAt = now
  }
}
