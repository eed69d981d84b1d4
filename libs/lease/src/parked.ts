/** Lines that came to their turn when as much ran as may: each waits under a cap, so that a claim looks at none of them. */
import type { Line } from './line.ts'

export class Parked {
  /** By the key of the cap, in the order in which they came. */
  readonly #lines = new Map<string, Set<Line>>()
  readonly #onFree: (line: Line) => void
  #size = 0

  /** `onFree` hears of each line that may try again. */
  constructor(onFree: (line: Line) => void) {
    this.#onFree = onFree
  }

  get size(): number {
    return this.#size
  }

  add(line: Line, key: string): void {
    line.parkedUnder = key
    this.#size++
    const there = this.#lines.get(key)
    if (there) there.add(line)
    else this.#lines.set(key, new Set([line]))
  }

  /** Frees the line, wherever it is parked; false where it is not. */
  free(line: Line): boolean {
    const { parkedUnder: key } = line
    if (key === undefined) return false
    const there = this.#lines.get(key)
    there?.delete(line)
    if (there?.size === 0) this.#lines.delete(key)
    line.parkedUnder = undefined
    this.#size--
    this.#onFree(line)
    return true
  }

  /** Frees the line that is parked longest under the key; false where there is none. */
  freeFirst(key: string): boolean {
    const [first] = this.#lines.get(key) ?? []
    return first !== undefined && this.free(first)
  }

  freeAll(): void {
    for (const lines of [...this.#lines.values()]) for (const line of [...lines]) this.free(line)
  }
}
