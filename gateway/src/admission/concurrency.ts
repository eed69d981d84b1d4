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
  readonly #pool: Pool

  /** `what` names the kind in answers: `event streams`. */
  constructor(what: string, limits: ConcurrencyLimits) {
    this.#pool = { what, limits, perTenant: new Map(), all: 0 }
  }

  /** A permit of the caller for `amount`. Fails with `concurrency_limited`. */
  acquire({ tenant }: Pick<Principal, 'tenant'>, amount = 1): Permit {
    add(this.#pool, tenant, amount)
    return new Permit(this.#pool, tenant, amount)
  }
}

/** Counts until it is disposed of, which is idempotent. */
export class Permit implements Disposable {
  readonly #pool: Pool
  readonly #tenant: string
  #amount: number

  constructor(pool: Pool, tenant: string, amount: number) {
    this.#pool = pool
    this.#tenant = tenant
    this.#amount = amount
  }

  /** Has the permit count `amount`, where that is more. Fails with `concurrency_limited`. */
  growTo(amount: number): void {
    if (amount <= this.#amount) return
    add(this.#pool, this.#tenant, amount - this.#amount)
    this.#amount = amount
  }

  [Symbol.dispose](): void {
    if (this.#amount === 0) return
    const { perTenant } = this.#pool
    const left = (perTenant.get(this.#tenant) as number) - this.#amount
    if (left === 0) perTenant.delete(this.#tenant)
    else perTenant.set(this.#tenant, left)
    this.#pool.all -= this.#amount
    this.#amount = 0
  }
}

interface Pool {
  readonly what: string
  readonly limits: ConcurrencyLimits
  readonly perTenant: Map<string, number>
  all: number
}

function add(pool: Pool, tenant: string, amount: number): void {
  const { what, limits, perTenant } = pool
  const held = perTenant.get(tenant) ?? 0
  // What is larger than the limit passes alone, or it never would.
  if (held > 0 && held + amount > limits.perTenant) throw limited(`${held.toLocaleString('en')} ${what} are open`)
  if (pool.all > 0 && pool.all + amount > limits.all) throw limited(`This gateway has as many ${what} open as it may`)
  perTenant.set(tenant, held + amount)
  pool.all += amount
}

const limited = (says: string) => fail('concurrency_limited', `${says}: let one of them end.`, { retryAfterS: RETRY_S })
