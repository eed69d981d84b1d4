/** The heartbeat of event streams: contract, section 4. */
import type { Clock, Timer } from '@millhand/process'

/** A comment, which readers leave out: it keeps what is between us and them from taking the connection for dead. */
export const heartbeatText = ':\n\n'

const BEAT_MS = 15_000

/** Calls `beat` every 15 s between `start` and `stop`. */
export class Heartbeat {
  readonly #clock: Clock
  readonly #beat: () => void
  #timer: Timer | undefined

  constructor(clock: Clock, beat: () => void) {
    this.#clock = clock
    this.#beat = beat
  }

  /** Idempotent. */
  start(): void {
    this.#timer ??= this.#next()
  }

  /** Idempotent. */
  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #next(): Timer {
    return this.#clock.timer(BEAT_MS, () => {
      this.#timer = this.#next()
      this.#beat()
    })
  }
}
