/**
 * What is listed in the order in which it came. A list in ascending order leaves out the last 2 s, and whoever reads one
 * goes on behind what was listed. So what takes longer than that to become durable is moved behind.
 */
import type { Clock } from '@millhand/runner'
import { type Collection, type Document, settlesAfterMs } from '@millhand/store'

export interface Arrived extends Document {
  /** When it came, in microseconds since 1970. */
  readonly arrived: number
}

/** The next number, of a time so much ahead where that is said. */
export type Arrival = (aheadMs?: number) => number

/** Of milliseconds. */
export const microseconds = (ms: number): number => Math.floor(ms * 1000)

/** Half of what lists leave out: the clock of whoever lists may be ahead by the other half. */
const LATE_AFTER_MS = settlesAfterMs / 2
/** No write is under way for longer. What is older was there, and keeps its place however often it is made again. */
const UNDER_WAY_MS = 300_000

/**
 * Makes sure that no list in ascending order misses a document that has just become durable, or that may have, since it
 * was there when it was made again. Its version is what was read or written.
 */
export async function keepInOrder<T extends Arrived>(
  collection: Pick<Collection<T>, 'get' | 'write'>,
  document: T | undefined,
  arrival: Arrival,
  clock: Clock,
): Promise<void> {
  let aheadMs = 0
  for (let there = document; there && mayBePassed(there.arrived, clock.now()); ) {
    const began = clock.monotonic()
    const moved: T = { ...there, arrived: arrival(aheadMs) }
    const result = await collection.write({ kind: 'replace', version: there.version, document: moved, events: [] })
    // This took its time too, and so may the next: its place is further ahead.
    aheadMs = 2 * (clock.monotonic() - began)
    there =
      result.kind === 'written' ? { ...moved, version: result.version } : await collection.get(moved.tenant, moved.id) // Somebody else has changed it.
  }
}

function mayBePassed(arrived: number, now: number): boolean {
  const age = now - arrived / 1000
  return age > LATE_AFTER_MS && age < UNDER_WAY_MS
}
