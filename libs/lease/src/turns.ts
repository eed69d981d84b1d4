/**
 * The order in which lines take turns: start-time fair queueing (Goyal, Vin and Cheng, 1996). A line's next turn comes
 * 1 / weight after its last, in a time that stands at the last turn taken, and whoever comes with work has a turn at
 * once. So a backlog never holds up another line's first piece, and turns that could not be taken are not saved up.
 */
import type { Line } from './line.ts'

export class Turns implements Iterable<Line> {
  /** In the order of their turns. */
  readonly #waiting: Line[] = []
  /** Lines that have no work, and whose next turn is yet to come. */
  readonly #idle = new Set<Line>()
  readonly #onOver: (line: Line) => void
  /** When the last turn was taken. */
  #time = 0

  /** `onOver` hears of each line without work when its turn would have come: until then it gets none sooner by coming anew. */
  constructor(onOver: (line: Line) => void) {
    this.#onOver = onOver
  }

  get length(): number {
    return this.#waiting.length
  }

  [Symbol.iterator](): Iterator<Line> {
    return this.#waiting[Symbol.iterator]()
  }

  at(place: number): Line | undefined {
    return this.#waiting[place]
  }

  /** A line has work again. */
  join(line: Line): void {
    line.turnAt = Math.max(line.turnAt, this.#time)
    this.wait(line)
  }

  /** Puts a line in the order, behind those of the same time. */
  wait(line: Line): void {
    line.isWaiting = true
    this.#idle.delete(line)
    let [from, to] = [0, this.#waiting.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#waiting[middle] as Line).turnAt <= line.turnAt) from = middle + 1
      else to = middle
    }
    this.#waiting.splice(from, 0, line)
  }

  /** Takes the line at a place out of the order; what becomes of it then is the caller's to say. */
  remove(place: number): void {
    if (place === 0)
      this.#waiting.shift() // The most frequent; it moves no other.
    else this.#waiting.splice(place, 1)
  }

  /** A line that is out of the order takes its turn, and waits for the next. */
  take(line: Line): void {
    this.#passTime(Math.max(this.#time, line.turnAt))
    line.turnAt = this.#time + 1 / line.share.weight
    this.wait(line)
  }

  /** A line that is out of the order has no work. */
  leave(line: Line): void {
    line.isWaiting = false
    if (line.turnAt > this.#time) this.#idle.add(line)
    else this.#onOver(line)
  }

  /** Nobody waits whom a line that comes anew could overtake. */
  endIdle(): void {
    for (const line of this.#idle) this.#end(line)
  }

  #passTime(time: number): void {
    const isLater = Math.floor(time) > Math.floor(this.#time) // Once for all that pass in a unit.
    this.#time = time
    if (isLater) for (const line of this.#idle) if (line.turnAt <= time) this.#end(line)
  }

  #end(line: Line): void {
    this.#idle.delete(line)
    this.#onOver(line)
  }
}
