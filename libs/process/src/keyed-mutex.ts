/** A mutex for each key: work on one key runs one after the other, work on different keys at once. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>()

  /** Does the work after all that was asked for before on `key`, however that ended. */
  runExclusive<R>(key: string, work: () => Promise<R>): Promise<R> {
    const before = this.#last.get(key)
    const run = before === undefined ? work() : before.then(work)
    const ended: Promise<void> = run.then(
      () => this.#forget(key, ended),
      () => this.#forget(key, ended),
    )
    this.#last.set(key, ended)
    return run
  }

  #forget(key: string, ended: Promise<void>): void {
    if (this.#last.get(key) === ended) this.#last.delete(key)
  }
}
