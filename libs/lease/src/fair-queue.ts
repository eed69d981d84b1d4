/**
 * The order in which flows take turns: start-time fair queueing (Goyal, Vin and Cheng, 1996). A flow's next turn comes
 * 1 / weight after its last, in a time that stands at the last turn taken, and whoever comes with work has a turn at
 * once. So a backlog never holds up another flow's first piece, and turns that could not be taken are not saved up.
 */
import type { Flow } from './flow.ts'

export class FairQueue implements Iterable<Flow> {
  /** In the order of their turns. */
  readonly #waiting: Flow[] = []
  /** Flows that have no work, and whose next turn is yet to come. */
  readonly #idle = new Set<Flow>()
  readonly #onOver: (flow: Flow) => void
  /** When the last turn was taken. */
  #virtualTime = 0

  /** `onOver` hears of each flow without work when its turn would have come: until then it gets none sooner by coming anew. */
  constructor(onOver: (flow: Flow) => void) {
    this.#onOver = onOver
  }

  get length(): number {
    return this.#waiting.length
  }

  [Symbol.iterator](): Iterator<Flow> {
    return this.#waiting[Symbol.iterator]()
  }

  at(place: number): Flow | undefined {
    return this.#waiting[place]
  }

  /** A flow has work again. */
  join(flow: Flow): void {
    flow.startTag = Math.max(flow.startTag, this.#virtualTime)
    this.wait(flow)
  }

  /** Puts a flow in the order, behind those of the same time. */
  wait(flow: Flow): void {
    flow.isWaiting = true
    this.#idle.delete(flow)
    let [from, to] = [0, this.#waiting.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#waiting[middle] as Flow).startTag <= flow.startTag) from = middle + 1
      else to = middle
    }
    this.#waiting.splice(from, 0, flow)
  }

  /** Takes the flow at a place out of the order; what becomes of it then is the caller's to say. */
  remove(place: number): void {
    if (place === 0)
      this.#waiting.shift() // The most frequent; it moves no other.
    else this.#waiting.splice(place, 1)
  }

  /** A flow that is out of the order takes its turn, and waits for the next. */
  take(flow: Flow): void {
    this.#passTime(Math.max(this.#virtualTime, flow.startTag))
    flow.startTag = this.#virtualTime + 1 / flow.share.weight
    this.wait(flow)
  }

  /** A flow that is out of the order has no work. */
  leave(flow: Flow): void {
    flow.isWaiting = false
    if (flow.startTag > this.#virtualTime) this.#idle.add(flow)
    else this.#onOver(flow)
  }

  /** Nobody waits whom a flow that comes anew could overtake. */
  endIdle(): void {
    for (const flow of this.#idle) this.#end(flow)
  }

  #passTime(time: number): void {
    const isLater = Math.floor(time) > Math.floor(this.#virtualTime) // Once for all that pass in a unit.
    this.#virtualTime = time
    if (isLater) for (const flow of this.#idle) if (flow.startTag <= time) this.#end(flow)
  }

  #end(flow: Flow): void {
    this.#idle.delete(flow)
    this.#onOver(flow)
  }
}
