/** What a run over lines has done and has yet to be kept: the text of its results, stored in parts, one at a time. */

/** Stores a part, durably; `first` counts the lines before it. Rejects where nobody can take it, or it is not wanted. */
export type StorePart = (part: Part) => Promise<void>

export interface Part {
  readonly first: number
  readonly count: number
  readonly failed: number
  /** JSON Lines, in pieces of about 64 KiB and lines that are larger. */
  readonly pieces: readonly Uint8Array[]
}

/** A part is stored once it has so many bytes; more than four times as many are not held. */
const PART_BYTES = 8 * 2 ** 20

/** The first part is stored after so long, and each then after a twentieth of the run: so an hour has about a hundred. */
const FIRST_PART_MS = 2_000

/** UTF-16 units that become one piece: encoded as they come, so that nothing is left to do when a part is stored. */
const PIECE_CHARACTERS = 60 * 1024

export class LineResults {
  readonly #store: StorePart
  readonly #now: () => number
  readonly #startedAt: number
  #pieces: Uint8Array[] = []
  /** What is not in a piece yet. */
  #text = ''
  #countWaiting = 0
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

  /** Takes the next line's result, in UTF-8 where it is large: that is kept as it is. */
  add(json: string | Uint8Array, isFailed: boolean): void {
    this.#text += `{"index":${this.count},`
    if (typeof json === 'string') this.#text += json
    else {
      this.#encode()
      this.#bytes += json.length
      this.#pieces.push(json)
    }
    this.#text += '}\n'
    if (this.#text.length >= PIECE_CHARACTERS) this.#encode()
    this.count++
    this.#countWaiting++
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
    if (this.#countWaiting === 0 || this.#fault) return
    this.#encode()
    const count = this.#countWaiting
    const part = { first: this.#first, count, failed: this.#failedWaiting, pieces: this.#pieces }
    this.#pieces = []
    this.#bytes = 0
    this.#countWaiting = 0
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

  #encode(): void {
    const piece = Buffer.from(this.#text)
    this.#text = ''
    this.#bytes += piece.length
    if (piece.length > 0) this.#pieces.push(piece)
  }
}
