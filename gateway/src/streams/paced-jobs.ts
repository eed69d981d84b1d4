/** Spreads work of many streams that is due at once over turns of the event loop: other requests are answered in between. */

/** The end of a stream costs some 0.2 ms, so that a turn takes a few milliseconds. */
const MAX_A_TURN = 16

export class PacedJobs {
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
    this.#waiting = jobs.slice(MAX_A_TURN)
    this.#isScheduled = false
    if (this.#waiting.length > 0) this.#schedule()
    for (const job of jobs.slice(0, MAX_A_TURN)) job()
  }
}
