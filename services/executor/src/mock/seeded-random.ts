/** Numbers that look random and are the same for the same request. */
import { createHash } from 'node:crypto'

export class SeededRandom {
  #state: number

  /** What is thrown follows from the words alone. */
  constructor(...words: readonly (string | Uint8Array)[]) {
    const hash = createHash('sha256')
    for (const word of words) hash.update(createHash('sha256').update(word).digest())
    this.#state = hash.digest().readUInt32LE()
  }

  /** From 0 up to 1: mulberry32 (Tommy Ettinger, public domain). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  one<T>(of: readonly [T, ...T[]]): T {
    return of[this.between(0, of.length - 1)] ?? of[0]
  }
}
