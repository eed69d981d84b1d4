/** Tells a peer that is busy from one that is dead, or stopped. */
import type { Clock, Timer } from '@millhand/process'

const TICK_MS = 500

/**
 * Calls `onTick` every half second, and `onTimeout` once when nothing was heard for `limitMs`. It counts its own ticks
 * and not time: where this process itself stood still, what the peer sent meanwhile is read between two ticks.
 */
export class KeepaliveTimer {
  readonly #clock: Clock
  readonly #limitTicks: number
  readonly #onTick: (tick: number) => void
  readonly #onTimeout: () => void
  #tick = 0
  #heardAt = 0
  #timer: Timer | undefined

  constructor(clock: Clock, limitMs: number, onTick: (tick: number) => void, onTimeout: () => void) {
    this.#clock = clock
    this.#limitTicks = limitMs / TICK_MS
    this.#onTick = onTick
    this.#onTimeout = onTimeout
    this.#arm()
  }

  touch(): void {
    this.#heardAt = this.#tick
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #arm(): void {
    this.#timer = this.#clock.timer(TICK_MS, () => {
      this.#tick++
      if (this.#tick - this.#heardAt >= this.#limitTicks) {
        this.#onTimeout()
        return
      }
      this.#arm()
      this.#onTick(this.#tick)
    })
  }
}
