/** When documents came: numbers that ascend, so that a list in their order never gets one in its middle. */
import type { Clock } from '@millhand/process'

export interface ArrivalClock {
  /**
   * Microseconds since 1970, above every one before. While writes are slow it is ahead of the time: twice as long as they
   * take, so that what is stored with it is not late and need not be moved.
   */
  next(): number
  /** Storing what has such a number took so long. */
  took(ms: number): void
}

/** Of milliseconds. */
export const microseconds = (ms: number): number => Math.floor(ms * 1000)

/**
 * Further ahead of the clock than this the last one was no step back but a clock gone mad: going on behind it would hide
 * from lists what comes now.
 */
const MAX_AHEAD_US = 3_600_000_000
/** Lists leave out more than this. */
const SWIFT_MS = 500
/** How long it is remembered that writes are slow. */
const REMEMBERED_MS = 60_000

/** `last` is the latest that there is already. */
export function createArrivalClock(clock: Pick<Clock, 'now' | 'monotonic'>, last = 0): ArrivalClock {
  let slowMs = 0
  let slowAt = Number.NEGATIVE_INFINITY
  const aheadMs = () => (slowMs >= SWIFT_MS && clock.monotonic() - slowAt < REMEMBERED_MS ? 2 * slowMs : 0)
  return {
    next() {
      const now = clock.now()
      const least = microseconds(now + aheadMs())
      last = last > microseconds(now) + MAX_AHEAD_US ? least : Math.max(least, last + 1)
      return last
    },
    took(ms) {
      slowMs = Math.max(ms, slowMs * 0.9) // One that was very slow counts for less with each that is not.
      slowAt = clock.monotonic()
    },
  }
}
