/** Work on one thing at a time; work on different things goes on at once. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>()

  /** Does the work after all that was asked for before on `key`, however that ended. */
  take<R>(key: string, work: () => Promise<R>): Promise<R> {
    const before = this.#last.get(key)
    const turn = before === undefined ? work() : before.then(work)
    const ended: Promise<void> = turn.then(
      () => this.#forget(key, ended),
      () => this.#forget(key, ended),
    )
    this.#last.set(key, ended)
    return turn
  }

  #forget(key: string, ended: Promise<void>): void {
    if (this.#last.get(key) === ended) this.#last.delete(key)
  }
}
