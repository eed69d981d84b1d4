/** Claims that wait for work: one of each executor. */
import type { Clock } from '@millhand/process'

export class WaitingClaims {
  readonly #clock: Clock
  readonly #waiting = new Map<string, (mayBeWork: boolean) => void>()
  #wakeScheduled = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves with true when there may be work, when the time is over, or when the signal ends; with false by `end`. */
  wait(executorId: string, ms: number, signal: AbortSignal): Promise<boolean> {
    this.end(executorId)
    return new Promise(resolve => {
      const settle = (mayBeWork: boolean) => {
        timer.cancel()
        this.#waiting.delete(executorId)
        signal.removeEventListener('abort', onAbort)
        resolve(mayBeWork)
      }
      const onAbort = () => settle(true)
      const timer = this.#clock.timer(ms, onAbort)
      this.#waiting.set(executorId, settle)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Ends the wait of the executor's claim. */
  end(executorId: string): void {
    this.#waiting.get(executorId)?.(false)
  }

  endAll(): void {
    for (const executorId of [...this.#waiting.keys()]) this.end(executorId)
  }

  /** Wakes all, once the writes of this turn of the event loop have been answered: what they made then shares a run. */
  wake(): void {
    if (this.#wakeScheduled || this.#waiting.size === 0) return
    this.#wakeScheduled = true
    setImmediate(() => {
      this.#wakeScheduled = false
      for (const settle of [...this.#waiting.values()]) settle(true)
    })
  }
}
