/** What is on its way for a run's leases (files in or out, a note of what it may cost): each ends when nobody waits for it. */
import type { HeldLease } from './lease.ts'

export class Transfers {
  readonly #underWay = new Map<HeldLease, AbortController>()
  readonly #isUnwanted: (one: HeldLease) => boolean

  /** `isUnwanted`: whether nobody waits for what is sent for a lease. */
  constructor(isUnwanted: (one: HeldLease) => boolean) {
    this.#isUnwanted = isUnwanted
  }

  /** Does the work, whose signal ends with `end`. */
  async of<R>(one: HeldLease, work: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const ending = new AbortController()
    this.#underWay.set(one, ending)
    try {
      return await work(ending.signal)
    } finally {
      this.#underWay.delete(one)
    }
  }

  /** Nobody waits for this one any more. */
  end(one: HeldLease): void {
    this.#underWay.get(one)?.abort()
  }

  /** Ends those that nobody waits for any more. */
  check(): void {
    for (const one of [...this.#underWay.keys()]) if (this.#isUnwanted(one)) this.end(one)
  }
}
