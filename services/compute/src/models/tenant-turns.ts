/**
 * Turns for work that tenants cause: so many at once, and of each tenant one. The next turn goes to the waiting tenant whose
 * turns took the least time in the last minutes, so a tenant with costly work waits behind those with little.
 */
import type { Clock } from '@millhand/process'

/** What a tenant's turns took counts half after each of these. */
const HALF_LIFE_MS = 60_000
/** What has decayed to less counts as nothing. */
const LEAST_MS = 1

interface Waiter {
  readonly tenant: string
  readonly begin: () => void
}

export class TenantTurns {
  #room: number
  readonly #clock: Clock
  readonly #running = new Set<string>()
  readonly #waiting = new Set<Waiter>()
  /** How long the turns of tenants took, by the time of the last one. */
  readonly #took = new Map<string, { readonly ms: number; readonly at: number }>()

  constructor(most: number, clock: Clock) {
    this.#room = most
    this.#clock = clock
  }

  /** Does the work once it is the tenant's turn. Rejects with the signal's reason where that comes first. */
  async run<R>(tenant: string, signal: AbortSignal, work: () => Promise<R>): Promise<R> {
    await this.#turn(tenant, signal)
    const from = this.#clock.monotonic()
    try {
      return await work()
    } finally {
      const now = this.#clock.monotonic()
      this.#took.set(tenant, { ms: this.#tookLately(tenant) + now - from, at: now })
      this.#running.delete(tenant)
      this.#room++
      this.#next()
    }
  }

  async #turn(tenant: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { tenant, begin: resolve }
    const leave = () => {
      if (this.#waiting.delete(waiter)) reject(signal.reason)
    }
    this.#waiting.add(waiter)
    signal.addEventListener('abort', leave, { once: true })
    this.#next()
    await promise.finally(() => signal.removeEventListener('abort', leave))
  }

  #next(): void {
    while (this.#room > 0) {
      const ready = [...this.#waiting].filter(({ tenant }) => !this.#running.has(tenant))
      const [first, ...others] = ready
      if (first === undefined) break
      let [next, least] = [first, this.#tookLately(first.tenant)]
      for (const waiter of others) {
        const took = this.#tookLately(waiter.tenant)
        if (took < least) [next, least] = [waiter, took]
      }
      this.#waiting.delete(next)
      this.#running.add(next.tenant)
      this.#room--
      next.begin()
    }
    for (const tenant of this.#took.keys()) if (this.#tookLately(tenant) < LEAST_MS) this.#took.delete(tenant)
  }

  #tookLately(tenant: string): number {
    const took = this.#took.get(tenant)
    return took === undefined ? 0 : took.ms * 2 ** ((took.at - this.#clock.monotonic()) / HALF_LIFE_MS)
  }
}
