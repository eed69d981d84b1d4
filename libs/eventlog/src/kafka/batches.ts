import type { Log } from '@millhand/telemetry'
import type { EachBatchPayload } from 'kafkajs'
import type { LoggedEvent } from '../event-log.ts'
import { eventOf } from './cloud-event.ts'
import type { Offsets } from './offsets.ts'

/** Most events that a reader is given at once; a fetch may bring thousands. */
const BATCH = 500

/** A part of a fetch: its events, and the offset of its last message. */
export interface Part {
  readonly events: readonly LoggedEvent[]
  readonly last: string
}

/** The parts of a fetch, in order. Messages that are not events of ours are left out, with a line in the log. */
export function* partsOf(
  { batch: { topic, partition, messages } }: EachBatchPayload,
  names: { readonly prefix: string; readonly offsets: Offsets; readonly log: Log },
): Generator<Part> {
  const positionOf = names.offsets.writer({ topic, partition })
  const name = topic.slice(names.prefix.length)
  for (let from = 0; from < messages.length; from += BATCH) {
    const part = messages.slice(from, from + BATCH)
    const events = part.flatMap(message => {
      const event = eventOf(name, message)
      return event === undefined ? [] : [{ ...event, position: positionOf(Number(message.offset) + 1) }]
    })
    const last = part.at(-1)?.offset
    if (last === undefined) return
    const skipped = part.length - events.length
    if (skipped > 0) names.log.warn('kafka.foreign_messages', { topic, partition, skipped, up_to_offset: last })
    yield { events, last }
  }
}
