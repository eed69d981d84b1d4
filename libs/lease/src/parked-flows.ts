/** Flows that came to their turn when as much ran as may: each waits under a cap, so that a claim looks at none of them. */
import type { Flow } from './flow.ts'

export class ParkedFlows {
  /** By the key of the cap, in the order in which they came. */
  readonly #flows = new Map<string, Set<Flow>>()
  readonly #onFree: (flow: Flow) => void
  #size = 0

  /** `onFree` hears of each flow that may try again. */
  constructor(onFree: (flow: Flow) => void) {
    this.#onFree = onFree
  }

  get size(): number {
    return this.#size
  }

  add(flow: Flow, key: string): void {
    flow.parkedUnder = key
    this.#size++
    const there = this.#flows.get(key)
    if (there) there.add(flow)
    else this.#flows.set(key, new Set([flow]))
  }

  /** Frees the flow, wherever it is parked; false where it is not. */
  free(flow: Flow): boolean {
    const { parkedUnder: key } = flow
    if (key === undefined) return false
    const there = this.#flows.get(key)
    there?.delete(flow)
    if (there?.size === 0) this.#flows.delete(key)
    flow.parkedUnder = undefined
    this.#size--
    this.#onFree(flow)
    return true
  }

  /** Frees the flow that is parked longest under the key; false where there is none. */
  freeFirst(key: string): boolean {
    const [first] = this.#flows.get(key) ?? []
    return first !== undefined && this.free(first)
  }

  freeAll(): void {
    for (const flows of [...this.#flows.values()]) for (const flow of [...flows]) this.free(flow)
  }
}
