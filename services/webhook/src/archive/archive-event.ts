/** Puts events into the archive. */
import type { Clock } from '@millhand/process'
import type { Archive, ArchivedEvent } from '../archived-event.ts'
import { type ArrivalClock, createArrivalClock, microseconds } from './arrival-clock.ts'
import { storeInOrder } from './ordered-writes.ts'

export interface ArchiveEventDeps {
  readonly archive: Pick<Archive, 'get' | 'write'>
  readonly arrivalClock: ArrivalClock
  readonly clock: Clock
}

/** Stores an event where it is not there yet. Answers with what is there then. */
export async function archiveEvent(
  { archive, arrivalClock, clock }: ArchiveEventDeps,
  event: Omit<ArchivedEvent, 'version' | 'arrived'>,
): Promise<ArchivedEvent> {
  const draft = { ...event, version: 1 }
  const { there } = await storeInOrder({ collection: archive, arrivalClock, clock }, draft, async document => {
    return (await archive.write({ kind: 'insert', document, events: [] })).kind === 'written'
  })
  return there ?? { ...draft, arrived: microseconds(event.created_at) }
}

/** Goes on behind the newest that is stored. */
export async function openArrivalClock(archive: Pick<Archive, 'find'>, clock: Clock): Promise<ArrivalClock> {
  const [newest] = await archive.find('by_age', { equals: [], order: 'desc', limit: 1 })
  return createArrivalClock(clock, newest?.arrived)
}
