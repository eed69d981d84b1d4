/** A sliding window: the times of what it counts. All times are in milliseconds of one clock that never goes back. */

export const WINDOW_MS = 60_000

/** Counts what happened in the last 60 seconds, exactly. It takes as much memory as it was ever full. */
export class SlidingWindow {
  /** In their order, from `#first` on, and on from the start of the array. */
  #times = new Float64Array(FIRST)
  #first = 0
  #count = 0

  /** How many times are within the 60 seconds before `now`: one that is 60 seconds old is not. */
  countAt(now: number): number {
    const over = now - WINDOW_MS
    while (this.#count > 0 && this.#at(0) <= over) {
      this.#first = this.#first + 1 === this.#times.length ? 0 : this.#first + 1
      this.#count--
    }
    return this.#count
  }

  /**
   * How long after `now` the time at that place from the oldest leaves the window; never longer than the window, which
   * a sum in another order could be by some billionths. `place` is below the count.
   */
  leavesIn(place: number, now: number): number {
    return this.#at(place) - now + WINDOW_MS
  }

  /** Counts what happened `times` times at `time`; after what it counts already, it costs the same however full it is. */
  add(time: number, times = 1): void {
    while (this.#count + times > this.#times.length) this.#grow()
    let place = this.#count
    for (; place > 0 && this.#at(place - 1) > time; place--) this.#put(place - 1 + times, this.#at(place - 1))
    for (let n = 0; n < times; n++) this.#put(place + n, time)
    this.#count += times
  }

  /** Takes back as many as `times` of those that happened at `time` or before, the latest first. */
  remove(time: number, times: number): void {
    let end = this.#count
    while (end > 0 && this.#at(end - 1) > time) end--
    const removed = Math.min(times, end)
    for (let place = end; place < this.#count; place++) this.#put(place - removed, this.#at(place))
    this.#count -= removed
  }

  /** Counts all that another one does. */
  addAll(other: SlidingWindow): void {
    for (let place = 0; place < other.#count; place++) this.add(other.#at(place))
  }

  /** How many happened in each second before `now`, the latest first; to the oldest that it counts. */
  perSecond(now: number): number[] {
    const seconds: number[] = []
    for (let place = this.#count - 1; place >= 0; place--) {
      const age = Math.max(0, Math.floor((now - this.#at(place)) / 1000))
      while (seconds.length <= age) seconds.push(0)
      seconds[age] = (seconds[age] as number) + 1
    }
    return seconds
  }

  #at(place: number): number {
    return this.#times[this.#index(place)] as number
  }

  #put(place: number, time: number) {
    this.#times[this.#index(place)] = time
  }

  #index(place: number): number {
    const index = this.#first + place
    return index < this.#times.length ? index : index - this.#times.length
  }

  #grow() {
    const larger = new Float64Array(this.#times.length * 2)
    for (let place = 0; place < this.#count; place++) larger[place] = this.#at(place)
    this.#times = larger
    this.#first = 0
  }
}

const FIRST = 16
