/**
 * How many tasks of an account wait, and whether one more may. The store is asked where it could be one too many, and in
 * the background every 10 s; in between what was counted and what was let in since is the most there can be. One process
 * never lets in too many. Of several each knows of the others by its counts alone: together they can be over by what
 * the others have let in since the count of the last, at most the cap for each of them.
 */
import { fail } from '@millhand/api'
import type { Clock } from '@millhand/process'

/** How many tasks of a tenant wait in the store, at most `limit`; sees all that were answered before. */
export type CountWaiting = (tenant: string, limit: number) => Promise<number>

interface Known {
  /** No more than so many wait, or are about to. */
  atMost: number
  /** Let in, and not answered yet. */
  underWay: number
  /** Let in since the latest count began. */
  since: number
  /** By the monotonic clock, when the latest count ended, and what it told. */
  countedAt: number
  counted: number
  counting: Promise<void> | undefined
}

export class QueueLimit {
  readonly #count: CountWaiting
  readonly #clock: Clock
  readonly #known = new Map<string, Known>()

  constructor(count: CountWaiting, clock: Clock) {
    this.#count = count
    this.#clock = clock
  }

  /**
   * Calls `store` where one more of the `most` that a tenant may have wait has room, and resolves with what it says:
   * whether it has stored one. Fails with `queue_full` before it is called.
   */
  async admit(tenant: string, most: number, store: () => Promise<boolean>): Promise<boolean> {
    const known = this.#of(tenant)
    const age = this.#clock.monotonic() - known.countedAt
    // A count reads as much as waits: one that found the queue full is not repeated at once.
    if (known.atMost >= most && age >= known.counted / COUNTED_A_MS) await this.#recount(tenant, known, most)
    else if (age > STALE_MS) this.#recount(tenant, known, most).catch(() => {}) // The next one asks again.
    if (known.atMost >= most) throw full(most)

    known.atMost++
    known.underWay++
    known.since++
    try {
      const isStored = await store()
      if (!isStored) known.atMost--
      return isStored
    } finally {
      known.underWay-- // What failed may have been stored: the next count tells.
    }
  }

  /** One count at a time: who comes while it is under way waits for it. */
  #recount(tenant: string, known: Known, most: number): Promise<void> {
    known.counting ??= this.#ask(tenant, known, most).finally(() => {
      known.counting = undefined
    })
    return known.counting
  }

  async #ask(tenant: string, known: Known, most: number): Promise<void> {
    const before = known.underWay // Whether the count sees them nobody knows.
    known.since = 0
    known.counted = await this.#count(tenant, most)
    known.atMost = known.counted + before + known.since
    known.countedAt = this.#clock.monotonic()
  }

  #of(tenant: string): Known {
    const found = this.#known.get(tenant)
    if (found) return found
    const never = Number.NEGATIVE_INFINITY
    const all = Number.POSITIVE_INFINITY
    const known = { atMost: all, underWay: 0, since: 0, countedAt: never, counted: 0, counting: undefined }
    for (const [other, { underWay, counting }] of this.#known) {
      if (this.#known.size < MAX_KNOWN) break
      if (underWay === 0 && counting === undefined) this.#known.delete(other)
    }
    this.#known.set(tenant, known)
    return known
  }
}

const full = (most: number) =>
  fail('queue_full', `The account has ${most} tasks in the queue, which is as many as its plan allows.`, {
    retryAfterS: 1,
  })

const STALE_MS = 10_000
const MAX_KNOWN = 10_000

/** So that counting takes a few percent of the time at most: an index is counted at some 10,000 a millisecond. */
const COUNTED_A_MS = 100
