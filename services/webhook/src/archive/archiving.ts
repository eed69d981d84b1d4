/** Puts events into the archive. */
import type { Clock } from '@millhand/runner'
import type { Archive, ArchivedEvent } from '../archived-event.ts'
import { type Arrival, keepInOrder } from './in-order.ts'

export interface Archiving {
  readonly archive: Pick<Archive, 'get' | 'write'>
  readonly arrival: Arrival
  readonly clock: Clock
}

/** Stores an event that is not there yet. Answers with what is in the archive then. */
export async function archiveEvent(
  { archive, arrival, clock }: Archiving,
  event: Omit<ArchivedEvent, 'version' | 'arrived'>,
): Promise<ArchivedEvent> {
  const made: ArchivedEvent = { ...event, version: 1, arrived: arrival() }
  const result = await archive.write({ kind: 'insert', document: made, events: [] })
  const there = result.kind === 'written' ? made : ((await archive.get(made.tenant, made.id)) ?? made)
  await keepInOrder(archive, there, arrival, clock)
  return there
}
