/** How much of a gateway an account may hold at once. docs/decisions/admission.md. */
import { fail } from '@millhand/api'
import type { Principal } from '@millhand/rpc'

export interface ConcurrencyLimits {
  /** Of each account and mode. */
  readonly perTenant: number
  /** Of all of them together. */
  readonly all: number
}

/** Seconds for `Retry-After`: when one of the others ends is not known. */
const RETRY_S = 5

/** Counts what is held of one kind, by account and mode. */
export class Concurrency {
  readonly #what: string
  readonly #limits: ConcurrencyLimits
  readonly #perTenant = new Map<string, number>()
  #all = 0

  /** `what` is held, as an answer names it: `event streams`. */
  constructor(what: string, limits: ConcurrencyLimits) {
    this.#what = what
    this.#limits = limits
  }

  /** Holds so much more for the caller, until it is disposed of, once. Fails with `concurrency_limited`. */
  take({ tenant }: Principal, amount = 1): Disposable {
    const held = this.#perTenant.get(tenant) ?? 0
    // What is larger than the limit passes alone, or it never would.
    if (held > 0 && held + amount > this.#limits.perTenant)
      throw limited(`${held.toLocaleString('en')} ${this.#what} are open`)
    if (this.#all > 0 && this.#all + amount > this.#limits.all) {
      throw limited(`This gateway has as many ${this.#what} open as it may`)
    }
    this.#perTenant.set(tenant, held + amount)
    this.#all += amount
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return
        isHeld = false
        this.#all -= amount
        const left = (this.#perTenant.get(tenant) as number) - amount
        if (left === 0) this.#perTenant.delete(tenant)
        else this.#perTenant.set(tenant, left)
      },
    }
  }
}

const limited = (says: string) => fail('concurrency_limited', `${says}: let one of them end.`, { retryAfterS: RETRY_S })
