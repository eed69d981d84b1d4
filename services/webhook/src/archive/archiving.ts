/** Puts events into the archive. */
import type { Clock } from '@millhand/runner'
import type { Archive, ArchivedEvent } from '../archived-event.ts'
import { type Arrivals, createArrivals, microseconds } from './arrivals.ts'
import { storeInOrder } from './in-order.ts'

export interface Archiving {
  readonly archive: Pick<Archive, 'get' | 'write'>
  readonly arrivals: Arrivals
  readonly clock: Clock
}

/** Stores an event where it is not there yet. Answers with what is there then. */
export async function archiveEvent(
  { archive, arrivals, clock }: Archiving,
  event: Omit<ArchivedEvent, 'version' | 'arrived'>,
): Promise<ArchivedEvent> {
  const draft = { ...event, version: 1 }
  const { there } = await storeInOrder({ collection: archive, arrivals, clock }, draft, async document => {
    return (await archive.write({ kind: 'insert', document, events: [] })).kind === 'written'
  })
  return there ?? { ...draft, arrived: microseconds(event.created_at) }
}

/** Goes on behind the newest that is stored. */
export async function openArrivals(archive: Pick<Archive, 'find'>, clock: Clock): Promise<Arrivals> {
  const [newest] = await archive.find('by_age', { equals: [], order: 'desc', limit: 1 })
  return createArrivals(clock, newest?.arrived)
}
