/** How long the latest run of each group took, in milliseconds: of the groups that ran last, so that it stays small. */
export class RunTimes {
  readonly #tookMs = new Map<string, number>()

  set(group: string, ms: number): void {
    this.#tookMs.delete(group)
    this.#tookMs.set(group, ms)
    const [oldest] = this.#tookMs.keys()
    if (this.#tookMs.size > MOST_GROUPS && oldest !== undefined) this.#tookMs.delete(oldest)
  }

  /** Infinite where it is not known. */
  of(group: string): number {
    return this.#tookMs.get(group) ?? Number.POSITIVE_INFINITY
  }
}

const MOST_GROUPS = 1_000
