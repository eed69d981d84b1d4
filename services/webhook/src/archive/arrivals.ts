/** When events came: numbers that ascend, so that a list in their order never gets one in its middle. */
import type { Clock } from '@millhand/runner'
import type { Archive } from '../archived-event.ts'
import { type Arrival, microseconds } from './in-order.ts'

/**
 * Further ahead of the clock than this the last one was no step back but a clock gone mad: going on behind it would hide
 * from lists what comes now.
 */
const MOST_AHEAD_US = 3_600_000_000

/** Each is above every one before, from the newest that is stored on. */
export async function openArrivals(archive: Pick<Archive, 'find'>, clock: Clock): Promise<Arrival> {
  const [newest] = await archive.find('by_age', { equals: [], order: 'desc', limit: 1 })
  let last = newest?.arrived ?? 0
  return (aheadMs = 0) => {
    const now = microseconds(clock.now())
    const least = microseconds(clock.now() + aheadMs)
    last = last > now + MOST_AHEAD_US ? least : Math.max(least, last + 1)
    return last
  }
}
