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

  first(): T | undefined {
    return this.#items[this.#start]
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
}
