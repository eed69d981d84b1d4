/** Removing what is no longer kept. */
import { type Clock, everyInterval } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import type { Collection, Document, Range } from './collection.ts'

export interface Found<I extends string> {
  readonly collection: Pick<Collection<Document, I>, 'find' | 'write'>
  readonly index: I | 'primary'
  readonly range: Range
}

/** How many are read, and removed, at once. */
const PAGE = 200

/**
 * Removes what is found, page by page, until nothing is or the signal ends. What changes in between is looked at again:
 * it goes only while it is still found.
 */
export async function removeFound<I extends string>(
  { collection, index, range }: Found<I>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const page = await collection.find(index, { ...range, limit: PAGE })
    await Promise.all(
      page.map(({ tenant, id, version }) => collection.write({ kind: 'remove', version, tenant, id, events: [] })),
    )
    if (page.length < PAGE) return
  }
}

export interface Sweep<I extends string> extends Omit<Found<I>, 'range'> {
  /** What the log calls it. */
  readonly name: string
  /** What is to go by now. */
  readonly range: () => Range | Promise<Range>
  readonly everyMs: number
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** Removes that at once and every so often until the signal ends. One replica is enough; several disturb nothing. */
export function sweep<I extends string>(options: Sweep<I>, signal: AbortSignal): Promise<void> {
  const { name, range, everyMs, clock, log } = options
  return everyInterval(clock, everyMs, signal, async () => {
    try {
      await removeFound({ ...options, range: await range() }, signal)
    } catch (error) {
      log.error('store.sweep_failed', { collection: name, error })
    }
  })
}
