/**
 * The leases of a pool: how many there are under the keys of caps, and when they end. Executors' last for `leaseMs` from
 * their claim and from each renewal; where the pool's owner claims for itself they last until they are settled, and end
 * with it: those that are found in the store are of an owner of before, and over.
 */

import { Counters } from './counters.ts'
import { type Deadline, Deadlines, leaseMs } from './lease-timers.ts'
import type { PoolOptions } from './pool-options.ts'
import type { Ready } from './ready-queue.ts'
import type { Work } from './work.ts'

type LeasesOptions<T extends Work> = Pick<PoolOptions<T, never>, 'clock' | 'caps' | 'ownerClaims'> & {
  readonly flowOf: (work: T) => string
  /** Hears of each key of a cap under which there is one less. */
  readonly onRoom: (key: string) => void
}

export class Leases<T extends Work> {
  readonly #options: LeasesOptions<T>
  readonly #deadlines: Deadlines<T>
  /** What is being claimed; where the owner claims for itself, until it is settled. */
  readonly #counter = new LeaseCounter()
  /** Whether the leases of before are known: until then nobody knows how much of a flow's work runs. */
  #hasSynced = false

  constructor(options: LeasesOptions<T>) {
    const { clock, flowOf, ownerClaims } = options
    this.#options = options
    this.#deadlines = new Deadlines({ clock, flowOf, leaseMs: ownerClaims ? 0 : leaseMs })
  }

  /** How many there are under the key of a cap. */
  under(key: string): number {
    if (this.#options.ownerClaims) return this.#counter.of(key)
    if (!this.#hasSynced) return Number.POSITIVE_INFINITY
    return this.#deadlines.leasesOf(key) + this.#counter.of(key)
  }

  /** Work as it is in the store, or was a moment ago. */
  observe(work: T): void {
    if (!this.#options.ownerClaims || !this.#counter.has(work.lease_id)) this.#deadlines.observe(work)
  }

  /** All that are in the store have been heard of. */
  markSynced(): void {
    this.#hasSynced = true
  }

  /** One is asked for. */
  ask(lease_id: string, ready: Ready): void {
    this.#counter.add(lease_id, this.#options.caps?.(ready).map(({ key }) => key) ?? [ready.flow])
  }

  /** What came of that. */
  answered(lease_id: string, isClaimed: boolean): void {
    if (!isClaimed || !this.#options.ownerClaims) this.#letGo(lease_id) // It counts as heard of, or for nothing.
  }

  settled(lease_id: string): void {
    this.#letGo(lease_id)
  }

  /** Whether this owner claimed it, and has not settled it. */
  isOwn(lease_id: string): boolean {
    return this.#counter.has(lease_id)
  }

  /** Lets one last from `askedAt`, by the monotonic clock; false where it is not the live one, or is over. */
  renew(work: T, askedAt: number): boolean {
    return this.#deadlines.renew(work, askedAt)
  }

  /** Those that are over, and backoffs; nothing where the signal has ended. Each stays until it is forgotten. */
  ended(signal: AbortSignal): Promise<Deadline[]> {
    return this.#deadlines.ended(signal)
  }

  forget(deadline: Deadline): void {
    this.#deadlines.forget(deadline)
  }

  /** What was heard of this work counts no more. */
  drop(id: string): void {
    const flow = this.#deadlines.drop(id)
    if (flow !== undefined) this.#options.onRoom(flow)
  }

  clear(): void {
    this.#deadlines.clear()
    this.#counter.clear()
    this.#hasSynced = false
  }

  #letGo(lease_id: string): void {
    for (const key of this.#counter.remove(lease_id)) this.#options.onRoom(key)
  }
}

/** The leases that this process has or asks for, counted under the keys of the caps that bound them. */
class LeaseCounter {
  readonly #leases = new Map<string, readonly string[]>()
  readonly #counts = new Counters()

  has(lease_id: string): boolean {
    return this.#leases.has(lease_id)
  }

  /** How many there are under a key. */
  of(key: string): number {
    return this.#counts.of(key)
  }

  add(lease_id: string, keys: readonly string[]): void {
    this.#leases.set(lease_id, keys)
    for (const key of keys) this.#counts.add(key, 1)
  }

  /** The keys that it counted under; none where it was not there. */
  remove(lease_id: string): readonly string[] {
    const keys = this.#leases.get(lease_id) ?? []
    this.#leases.delete(lease_id)
    for (const key of keys) this.#counts.add(key, -1)
    return keys
  }

  clear(): void {
    this.#leases.clear()
    this.#counts.clear()
  }
}
