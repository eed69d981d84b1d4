/** When events came: numbers that ascend, so that a list in their order never gets one in its middle. */
import type { Clock } from '@millhand/runner'
import type { Archive } from '../archived-event.ts'

export interface Arrivals {
  /** Microseconds since 1970, above every one before. */
  next(): number
}

/**
 * Further ahead of the clock than this the last one was no step back but a clock gone mad: going on behind it would hide
 * from lists what comes now.
 */
const MOST_AHEAD_US = 3_600_000_000

/** Begins after the newest that is stored. */
export async function openArrivals(archive: Pick<Archive, 'find'>, clock: Clock): Promise<Arrivals> {
  const [newest] = await archive.find('by_age', { equals: [], order: 'desc', limit: 1 })
  let last = newest?.arrived ?? 0
  return {
    next() {
      const now = microseconds(clock.now())
      last = last > now + MOST_AHEAD_US ? now : Math.max(now, last + 1)
      return last
    },
  }
}

/** Of milliseconds. */
export const microseconds = (ms: number): number => Math.floor(ms * 1000)
