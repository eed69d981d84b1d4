/** What a run over lines has done and has yet to be kept: the text of its results, stored in parts, one at a time. */

/** Stores a part, durably; `first` counts the lines before it. Rejects where nobody can take it, or it is not wanted. */
export type StorePart = (part: Part) => Promise<void>

export interface Part {
  readonly first: number
  readonly count: number
  readonly failed: number
  /** JSON Lines, in pieces of at most 64 KiB and results that are larger. */
  readonly pieces: readonly Uint8Array[]
}

/**
 * A part is stored once it has a quarter of the bytes that are stored, within these bounds: so that little is left to
 * store at the end of a short run. More than four times the upper bound is not held.
 */
const [LEAST_PART_BYTES, MOST_PART_BYTES] = [2 ** 20, 8 * 2 ** 20]

/** The first part is stored after so long, and each then after a twentieth of the run: so an hour has about a hundred. */
const FIRST_PART_MS = 2_000

/** Results are copied into pieces of so many bytes as they come, so that nothing is left to do when a part is stored. */
const PIECE_BYTES = 64 * 1024
/** Larger results are pieces of their own. */
const MOST_COPIED_BYTES = 16 * 1024
/** What a line has beside its result: 16 digits of the index, the name of the field, what ends the line. */
const BESIDE_BYTES = 64
const LINE_END = Buffer.from('}\n')

export class LineResults {
  readonly #store: StorePart
  readonly #now: () => number
  readonly #startedAt: number
  #pieces: Uint8Array[] = []
  /** What is not among the pieces yet. */
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
  #filled = 0
  #countWaiting = 0
  /** Of the pieces. */
  #bytes = 0
  #storedBytes = 0
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

  /** Takes the next line's result, JSON in UTF-8 without line breaks: where it is large it is kept as it is. */
  add(json: Uint8Array, isFailed: boolean): void {
    const isLarge = json.length > MOST_COPIED_BYTES
    if (this.#filled + (isLarge ? 0 : json.length) + BESIDE_BYTES > PIECE_BYTES) this.#endPiece()
    this.#filled += this.#piece.write(
      isFailed ? `{"index":${this.count},"error":` : `{"index":${this.count},"output":`,
      this.#filled,
      'latin1',
    )
    if (isLarge) {
      this.#endPiece()
      this.#bytes += json.length
      this.#pieces.push(json)
    } else {
      this.#piece.set(json, this.#filled)
      this.#filled += json.length
    }
    this.#piece.set(LINE_END, this.#filled)
    this.#filled += LINE_END.length
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
    const due = Math.min(MOST_PART_BYTES, Math.max(LEAST_PART_BYTES, this.#storedBytes / 4))
    if (!this.#storing && (this.#bytes >= due || now - this.#storedAt >= pause)) this.#begin()
    if (this.#bytes >= 4 * MOST_PART_BYTES) await this.#storing
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
    this.#endPiece()
    const count = this.#countWaiting
    const part = { first: this.#first, count, failed: this.#failedWaiting, pieces: this.#pieces }
    this.#pieces = []
    this.#storedBytes += this.#bytes
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

  #endPiece(): void {
    if (this.#filled === 0) return
    this.#bytes += this.#filled
    this.#pieces.push(this.#piece.subarray(0, this.#filled))
    this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
    this.#filled = 0
  }
}
