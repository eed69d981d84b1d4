/**
 * What is listed in the order in which it came. A list in ascending order leaves out the last 2 s, and whoever reads one
 * goes on behind what was listed. So what takes longer than that to become durable is moved behind.
 */
import type { Clock } from '@millhand/process'
import { type Collection, type Document, settlesAfterMs } from '@millhand/store'
import type { ArrivalClock } from './arrival-clock.ts'

export interface ArrivalOrdered extends Document {
  /** When it came, in microseconds since 1970. */
  readonly arrived: number
}

export interface StoreInOrderDeps<T extends ArrivalOrdered> {
  readonly collection: Pick<Collection<T>, 'get' | 'write'>
  readonly arrivalClock: ArrivalClock
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

export interface StoreResult<T> {
  /** Whether it was not there before. */
  readonly isNew: boolean
  /** As it is there now; nothing where it was there and is gone. */
  readonly there: T | undefined
}

/**
 * Stores a document where it is not there yet. `insert` gets it with its number, and says whether it was new. One that was
 * there may have become durable just now, unheard of: it is moved as well.
 */
export async function storeInOrder<T extends ArrivalOrdered>(
  { collection, arrivalClock, clock }: StoreInOrderDeps<T>,
  draft: Omit<T, 'arrived'>,
  insert: (document: T) => Promise<boolean>,
): Promise<StoreResult<T>> {
  const timed = async <R>(write: () => Promise<R>): Promise<R> => {
    const began = clock.monotonic()
    const result = await write()
    arrivalClock.took(clock.monotonic() - began)
    return result
  }
  const made = { ...draft, arrived: arrivalClock.next() } as T
  const isNew = await timed(() => insert(made))
  let there = isNew ? made : await collection.get(made.tenant, made.id)
  while (there && mayBePassed(there.arrived, clock.now())) {
    const moved: T = { ...there, arrived: arrivalClock.next() }
    const change = { kind: 'replace', version: there.version, document: moved, events: [] } as const
    const result = await timed(() => collection.write(change))
    if (result.kind === 'written') there = { ...moved, version: result.version }
    else there = await collection.get(moved.tenant, moved.id) // Somebody else has changed it.
  }
  return { isNew, there }
}

/** Half of what lists leave out: the clock of whoever lists may be ahead by the other half. */
const LATE_AFTER_MS = settlesAfterMs / 2
/** No write is under way for longer. What is older was there, and keeps its place however often it is made again. */
const UNDER_WAY_MS = 60_000

function mayBePassed(arrived: number, now: number): boolean {
  const age = now - arrived / 1000
  return age > LATE_AFTER_MS && age < UNDER_WAY_MS
}
