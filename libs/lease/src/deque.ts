/** A queue whose ends cost the same however long it is; an array's `shift` moves every item. */
export class Deque<T> {
  #items: (T | undefined)[]
  #start = 0

  constructor(...items: T[]) {
    this.#items = items
  }

  get length(): number {
    return this.#items.length - this.#start
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** The item at a place from the front. */
  at(place: number): T | undefined {
    return this.#items[this.#start + place]
  }

  shift(): T | undefined {
    if (this.#start === this.#items.length) return undefined
    const item = this.#items[this.#start]
    this.#items[this.#start++] = undefined
    if (this.#start > 1024 && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start)
      this.#start = 0
    }
    return item
  }

  /** Keeps only what passes, in its order. */
  retain(passes: (item: T) => boolean): void {
    this.#items = this.#items.slice(this.#start).filter(item => passes(item as T))
    this.#start = 0
  }
}
