/** The leases that this process has or asks for, counted under the keys of the caps that bound them. */
import { Counters } from './counters.ts'

export class LeaseCounter {
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
