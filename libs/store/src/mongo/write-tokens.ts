import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** How many writes of unknown outcome are remembered. */
const MOST_DOUBTS = 10_000

/** Names each write of this process, so that it is found again in what was stored. */
export class WriteTokens {
  readonly #process = `${randomBytes(9).toString('base64url')}.`
  readonly #doubted = new LRUCache<string, true>({ max: MOST_DOUBTS })
  #last = 0

  next(): string {
    this.#last += 1
    return this.#process + this.#last.toString(36)
  }

  /** The writer was told that it failed, and it may have been made all the same, or still be. */
  doubt(token: string): void {
    this.#doubted.set(token, true)
  }

  /** Whether the writer, in this process, knows that this write was made. */
  isKnown(token: string): boolean {
    return token.startsWith(this.#process) && !this.#doubted.has(token)
  }
}
