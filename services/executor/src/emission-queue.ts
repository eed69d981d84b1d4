/** What one run has emitted and has yet to be sent: in order, bounded, its progress thinned. */

import { type Emission, MAX_PIECE_BYTES } from '@millhand/child-process'
import type { Clock, Timer } from '@millhand/process'
import { type BatchLimit, inBatches } from './message-batches.ts'

/** Of the progress that comes meanwhile, the latest is told. */
const progressEveryMs = 250

/**
 * More than an emission takes beside its text, and so much that a batch of 64 KiB has fewer than the contract's 1,000.
 */
const besideText = 66
const batch: BatchLimit<Emission> = { size: MAX_PIECE_BYTES, sizeOf: bytesOf }

export class EmissionQueue {
  readonly #clock: Clock
  readonly #onReady: () => void
  #waiting: Emission[] = []
  #bytes = 0
  #blocked: (() => void)[] = []
  #latest: Emission | undefined
  #pause: Timer | undefined

  /** `onReady` is called for each emission that `take` would give. */
  constructor(clock: Clock, onReady: () => void) {
    this.#clock = clock
    this.#onReady = onReady
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Resolves when there is room for the next; at once for progress, of which no more than the latest is kept. */
  put(emission: Emission): Promise<void> {
    if (emission.kind === 'progress') {
      this.#latest = emission
      this.#tellProgress()
      return Promise.resolve()
    }
    this.#push(emission)
    return this.#hasRoom() ? Promise.resolve() : new Promise(resolve => this.#blocked.push(resolve))
  }

  /** The next batch: at most 64 KiB together, or one alone. */
  take(): readonly Emission[] {
    const [taken = []] = inBatches(this.#waiting, batch)
    this.#waiting = this.#waiting.slice(taken.length)
    for (const emission of taken) this.#bytes -= bytesOf(emission)
    this.#tellProgress()
    if (this.#hasRoom()) this.#release()
    return taken
  }

  /** The run is over: its last progress waits no longer. */
  flush(): void {
    if (this.#latest) this.#push(this.#latest)
    this.#latest = undefined
    this.#pause?.cancel()
  }

  /** Drops everything, and lets go who waits for room. */
  clear(): void {
    this.#waiting = []
    this.#bytes = 0
    this.#latest = undefined
    this.#pause?.cancel()
    this.#release()
  }

  #push(emission: Emission): void {
    this.#waiting.push(emission)
    this.#bytes += bytesOf(emission)
    this.#onReady()
  }

  #tellProgress(): void {
    if (!this.#latest || this.#pause || !this.#hasRoom()) return
    const latest = this.#latest
    this.#latest = undefined
    this.#pause = this.#clock.timer(progressEveryMs, () => {
      this.#pause = undefined
      this.#tellProgress()
    })
    this.#push(latest)
  }

  #hasRoom(): boolean {
    return this.#bytes < MAX_PIECE_BYTES
  }

  #release(): void {
    for (const resolve of this.#blocked.splice(0)) resolve()
  }
}

/** What it takes in a message, or somewhat more. */
export function bytesOf(emission: Emission): number {
  switch (emission.kind) {
    case 'output':
      return besideText + Buffer.byteLength(emission.json)
    case 'log':
      return besideText + Buffer.byteLength(emission.text)
    case 'progress':
      return besideText + Buffer.byteLength(JSON.stringify(emission))
  }
}
