/** Work of many streams that falls due at once, spread over turns of the event loop: other callers are answered in between. */

/** The end of a stream costs some 0.2 ms, so that a turn takes a few milliseconds. */
const MOST_AT_ONCE = 16

export class Turns {
  #waiting: (() => void)[] = []
  #isScheduled = false

  /** Calls `job`, which must not throw, soon: after those that came before it. */
  add(job: () => void): void {
    this.#waiting.push(job)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    const jobs = this.#waiting
    this.#waiting = jobs.slice(MOST_AT_ONCE)
    this.#isScheduled = false
    if (this.#waiting.length > 0) this.#schedule()
    for (const job of jobs.slice(0, MOST_AT_ONCE)) job()
  }
}
