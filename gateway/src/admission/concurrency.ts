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

/** Counts the permits of one kind, by account and mode. */
export class Concurrency {
  readonly #what: string
  readonly #limits: ConcurrencyLimits
  readonly #perTenant = new Map<string, number>()
  #all = 0

  /** `what` names the kind in answers: `event streams`. */
  constructor(what: string, limits: ConcurrencyLimits) {
    this.#what = what
    this.#limits = limits
  }

  /** A permit of the caller for `amount`. Fails with `concurrency_limited`. */
  acquire({ tenant }: Principal, amount = 1): Permit {
    this.#add(tenant, amount)
    return new Permit(tenant, amount, this.#change)
  }

  /** For permits: adds to an amount of the tenant, or takes away from it. */
  readonly #change = (tenant: string, amount: number): void => {
    if (amount > 0) this.#add(tenant, amount)
    else this.#remove(tenant, -amount)
  }

  #add(tenant: string, amount: number): void {
    const held = this.#perTenant.get(tenant) ?? 0
    // What is larger than the limit passes alone, or it never would.
    if (held > 0 && held + amount > this.#limits.perTenant)
      throw limited(`${held.toLocaleString('en')} ${this.#what} are open`)
    if (this.#all > 0 && this.#all + amount > this.#limits.all) {
      throw limited(`This gateway has as many ${this.#what} open as it may`)
    }
    this.#perTenant.set(tenant, held + amount)
    this.#all += amount
  }

  #remove(tenant: string, amount: number): void {
    this.#all -= amount
    const left = (this.#perTenant.get(tenant) as number) - amount
    if (left === 0) this.#perTenant.delete(tenant)
    else this.#perTenant.set(tenant, left)
  }
}

/** Counts until it is disposed of, which is idempotent. */
export class Permit implements Disposable {
  readonly #tenant: string
  #amount: number
  readonly #change: (tenant: string, amount: number) => void

  constructor(tenant: string, amount: number, change: (tenant: string, amount: number) => void) {
    this.#tenant = tenant
    this.#amount = amount
    this.#change = change
  }

  /** Has the permit count `amount`, where that is more. Fails with `concurrency_limited`. */
  growTo(amount: number): void {
    if (amount <= this.#amount) return
    this.#change(this.#tenant, amount - this.#amount)
    this.#amount = amount
  }

  [Symbol.dispose](): void {
    if (this.#amount > 0) this.#change(this.#tenant, -this.#amount)
    this.#amount = 0
  }
}

const limited = (says: string) => fail('concurrency_limited', `${says}: let one of them end.`, { retryAfterS: RETRY_S })
