import { KeyedMutex } from './keyed-mutex.ts'

/** Batches work by key: all that is asked for while a run is under way is done by the next run. */
export class KeyedBatcher<One> {
  readonly #mutex = new KeyedMutex()
  readonly #waiting = new Map<string, { readonly all: One[]; readonly done: Promise<void> }>()

  /**
   * Does the work for `one` and for whoever else joins before it begins, in the order in which they came: at once where
   * none is under way on the key, else after that. Ends as the work does.
   */
  join(key: string, one: One, work: (all: readonly One[]) => Promise<void>): Promise<void> {
    const gathered = this.#waiting.get(key)
    if (gathered !== undefined) {
      gathered.all.push(one)
      return gathered.done
    }
    const all = [one]
    let hasBegun = false
    const done = this.#mutex.runExclusive(key, () => {
      hasBegun = true
      this.#waiting.delete(key)
      return work(all)
    })
    if (!hasBegun) this.#waiting.set(key, { all, done })
    return done
  }
}
