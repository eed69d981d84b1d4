/** Lets so much work run at once; the rest waits in the order in which it came. */
export class Semaphore {
  #room: number
  readonly #waiting: (() => void)[] = []

  constructor(most: number) {
    this.#room = most
  }

  /** Does the work once there is room for it. */
  async run<R>(work: () => Promise<R>): Promise<R> {
    if (this.#room > 0) this.#room--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#room++
    }
  }
}
