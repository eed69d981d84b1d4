/** Spreads work over time: so many a second at most, and so many until a moment. */
import { setTimeout as pause } from 'node:timers/promises'

export interface Pace {
  /** Lets so many in all pass from now on. */
  admit(total: number): void
  /** True when it is the caller's turn; false when as many have passed as were admitted, and no more will be. */
  turn(): Promise<boolean>
  /** No more will be admitted. */
  close(): void
  /** No more pass. */
  stop(): void
}

export function createPace(perSecond: number): Pace {
  let admitted = 0
  let passed = 0
  let closed = false
  let nextAt = performance.now()
  return {
    admit(total) {
      admitted = Math.max(admitted, total)
    },
    async turn() {
      for (;;) {
        if (passed < admitted) {
          passed++
          const now = performance.now()
          nextAt = Math.max(nextAt, now - 1_000) + 1_000 / perSecond
          if (nextAt > now) await pause(nextAt - now)
          return true
        }
        if (closed) return false
        await pause(20)
      }
    },
    close() {
      closed = true
    },
    stop() {
      closed = true
      admitted = passed
    },
  }
}
