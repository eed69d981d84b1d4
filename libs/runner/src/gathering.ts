import { Turns } from './turns.ts'

/** Work on a key that is done once for all who want it at the same time. */
export class Gathering<One> {
  readonly #turns = new Turns()
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
    const done = this.#turns.take(key, () => {
      hasBegun = true
      this.#waiting.delete(key)
      return work(all)
    })
    if (!hasBegun) this.#waiting.set(key, { all, done })
    return done
  }
}
