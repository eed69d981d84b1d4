/** A cache that keeps the entries that were used last. */

const MOST_ENTRIES = 10_000
const MOST_CHARACTERS = 32 * 2 ** 20

interface Bounds {
  readonly entries: number
  readonly characters: number
}

export class BoundedCache<V> {
  readonly #bounds: Bounds
  /** The least recently used first. */
  readonly #entries = new Map<string, { readonly value: V; readonly characters: number }>()
  #characters = 0

  constructor(bounds: Bounds = { entries: MOST_ENTRIES, characters: MOST_CHARACTERS }) {
    this.#bounds = bounds
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** `characters`: about how much memory the value takes. */
  set(key: string, value: V, characters: number): void {
    this.#remove(key)
    this.#entries.set(key, { value, characters })
    this.#characters += characters
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#bounds.entries && this.#characters <= this.#bounds.characters) return
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#characters -= entry.characters
  }
}
