/** How many there are of each, by name. What there is none of takes no memory. */
export class Counters {
  readonly #counts = new Map<string, number>()

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: string, more: number): void {
    const count = (this.#counts.get(name) ?? 0) + more
    if (count === 0) this.#counts.delete(name)
    else this.#counts.set(name, count)
  }

  clear(): void {
    this.#counts.clear()
  }
}
