/** A map of windows by name, from which idle ones are removed. */
export class WindowMap<T> {
  readonly #make: (name: string) => T
  readonly #isIdle: (kept: T, now: number) => boolean
  readonly #all = new Map<string, T>()
  #looking: MapIterator<[string, T]> = this.#all.entries()

  /** What `make` made is thrown away once it `isIdle`. `now` is in milliseconds of a clock that never goes back. */
  constructor(make: (name: string) => T, isIdle: (kept: T, now: number) => boolean) {
    this.#make = make
    this.#isIdle = isIdle
  }

  get size(): number {
    return this.#all.size
  }

  /** What is kept of a window; made where nothing is. */
  get(name: string, now: number): T {
    this.#lookAround(now)
    let kept = this.#all.get(name)
    if (kept === undefined) {
      kept = this.#make(name)
      this.#all.set(name, kept)
    }
    return kept
  }

  [Symbol.iterator](): MapIterator<[string, T]> {
    return this.#all.entries()
  }

  /** Each use looks at two windows, whichever they are: so idle ones go faster than new ones come, and no timer is needed. */
  #lookAround(now: number) {
    for (let n = 0; n < 2; n++) {
      const { done, value } = this.#looking.next()
      if (done === true) {
        this.#looking = this.#all.entries()
        return
      }
      const [name, kept] = value
      if (this.#isIdle(kept, now)) this.#all.delete(name)
    }
  }
}
