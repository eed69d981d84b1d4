/** Puts events where lists, deliveries and replays find them. */
import type { EventArchive } from '@millhand/eventlog'
import type { Clock } from '@millhand/process'
import type { Draft, OutboxEvent } from '@millhand/store'
import type { Archive, ArchivedEvent } from '../archived-event.ts'
import { archiveEvent, openArrivalClock } from './archive-event.ts'
import { microseconds } from './arrival-clock.ts'

/** An event as the intake has read it. */
export type NewEvent = Omit<Draft<ArchivedEvent>, 'arrived'>

export interface Archiver {
  /** Begins an owner's reading of the log: what takes in each of its events, and answers with what is kept then. */
  open(): Promise<(event: NewEvent) => Promise<ArchivedEvent>>
  /** Keeps an event that is not in the log. A second one of the same id changes nothing. */
  add(event: NewEvent): Promise<ArchivedEvent>
  /** Whether events of the log are in the archive already, so that those nobody asks for need not be read. */
  readonly isLog: boolean
}

/** Stores each event in a collection: where the log can't be searched. */
export function collectionArchiver(archive: Archive, clock: Clock): Archiver {
  const open: Archiver['open'] = async () => {
    const arrivalClock = await openArrivalClock(archive, clock)
    return event => archiveEvent({ archive, arrivalClock, clock }, event)
  }
  let adding: Awaited<ReturnType<Archiver['open']>> | undefined
  return {
    open,
    async add(event) {
      adding ??= await open()
      return await adding(event)
    },
    isLog: false,
  }
}

/** Stores nothing but what is not in the log. */
export function logArchiver(archive: EventArchive): Archiver {
  return {
    async open() {
      return async event => ({ ...event, version: 1, arrived: microseconds(event.created_at) })
    },
    async add(event) {
      const there = await archive.get(event.tenant, event.id)
      if (there) return there
      await archive.add(outboxEvent(event), event.tenant)
      return { ...event, version: 1, arrived: microseconds(event.created_at) }
    },
    isLog: true,
  }
}

const outboxEvent = ({ id, type, resource_id: key, created_at: time, value }: NewEvent): OutboxEvent => ({
  ...{ topic: 'archive', key, id, type, time, value },
})
