/** What a run over lines has done and has yet to be kept: the text of its results, stored in parts, one at a time. */

/** Stores a part, durably; `first` counts the lines before it. Rejects where nobody can take it, or it is not wanted. */
export type StorePart = (part: Part) => Promise<void>

export interface Part {
  readonly first: number
  readonly count: number
  readonly failed: number
  /** JSON Lines. */
  readonly bytes: Uint8Array
}

/** A part is stored once it has so many bytes; more than four times as many are not held. */
const PART_BYTES = 8 * 2 ** 20

/** The first part is stored after so long, and each then after a twentieth of the run: so an hour has about a hundred. */
const FIRST_PART_MS = 2_000

export class LineResults {
  readonly #store: StorePart
  readonly #now: () => number
  readonly #startedAt: number
  #waiting: string[] = []
  #bytes = 0
  #failedWaiting = 0
  #first: number
  #storedAt: number
  #storing: Promise<void> | undefined
  #fault: { readonly error: unknown } | undefined
  count: number
  failed: number

  /** `kept`: what earlier attempts have kept. `now`: milliseconds of a monotonic clock. */
  constructor(kept: { readonly count: number; readonly failed: number }, store: StorePart, now: () => number) {
    this.#store = store
    this.#now = now
    this.#startedAt = now()
    this.#storedAt = this.#startedAt
    this.#first = kept.count
    this.count = kept.count
    this.failed = kept.failed
  }

  /** Takes the next line's result. */
  add(json: string, isFailed: boolean): void {
    const line = `{"index":${this.count},${json}}\n`
    this.#waiting.push(line)
    this.#bytes += Buffer.byteLength(line)
    this.count++
    if (!isFailed) return
    this.failed++
    this.#failedWaiting++
  }

  /** To be called after lines were added: stores what is due. Resolves when there is room for more. Rejects as storing does. */
  async keepUp(): Promise<void> {
    const now = this.#now()
    const pause = Math.max(FIRST_PART_MS, (now - this.#startedAt) / 20)
    if (!this.#storing && (this.#bytes >= PART_BYTES || now - this.#storedAt >= pause)) this.#begin()
    if (this.#bytes >= 4 * PART_BYTES) await this.#storing
    if (this.#fault) throw this.#fault.error
  }

  /** Stores all that is not stored yet. Rejects as storing does. */
  async flush(): Promise<void> {
    await this.#storing
    this.#begin()
    await this.#storing
    if (this.#fault) throw this.#fault.error
  }

  #begin(): void {
    if (this.#waiting.length === 0 || this.#fault) return
    const count = this.#waiting.length
    const part = { first: this.#first, count, failed: this.#failedWaiting, bytes: Buffer.from(this.#waiting.join('')) }
    this.#waiting = []
    this.#bytes = 0
    this.#failedWaiting = 0
    this.#storedAt = this.#now()
    this.#storing = this.#store(part).then(
      () => {
        this.#first += count
        this.#storing = undefined
      },
      error => {
        this.#fault = { error }
        this.#storing = undefined
      },
    )
  }
}
