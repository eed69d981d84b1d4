import type { Log } from '@millhand/telemetry'
import type { EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { LoggedEvent } from '../event-log.ts'
import { eventOf } from './cloud-event.ts'
import type { Offsets } from './offsets.ts'

/** Most events that a reader is given at once; a fetch may bring thousands. */
const MOST_EVENTS = 500

interface PartsOptions {
  readonly prefix: string
  /** Where the reader stands. Moves on over what is done. */
  readonly offsets: Offsets
  readonly log: Log
}

/**
 * The events of a fetch, over all its partitions, in parts. What a part brings is done, and its offsets are resolved,
 * when the next one is asked for. Messages that are not events of ours are left out, with a line in the log.
 */
export function* partsOf(
  batches: readonly EachBatchPayload[],
  { prefix, offsets, log }: PartsOptions,
): Generator<readonly LoggedEvent[]> {
  /** Behind all that was yielded: the position of an event is behind all events before it. */
  const yielded = offsets.copy()
  for (const slices of parts(batches)) {
    const events = slices.flatMap(slice => eventsOf(slice, prefix, yielded, log))
    if (events.length > 0) yield events
    for (const { payload, last } of slices) {
      payload.resolveOffset(last)
      offsets.set(payload.batch, Number(last) + 1)
    }
  }
}

/** Messages of one partition. */
interface Slice {
  readonly payload: EachBatchPayload
  readonly messages: readonly KafkaMessage[]
  /** The offset of the last one. */
  readonly last: string
}

/** Slices of at most `MOST_EVENTS` messages together. */
function* parts(batches: readonly EachBatchPayload[]): Generator<readonly Slice[]> {
  let part: Slice[] = []
  let room = MOST_EVENTS
  for (const payload of batches) {
    const { messages: all } = payload.batch
    for (let from = 0; from < all.length; ) {
      const messages = all.slice(from, from + room)
      part.push({ payload, messages, last: messages.at(-1)?.offset ?? '' })
      from += messages.length
      room -= messages.length
      if (room > 0) continue
      yield part
      part = []
      room = MOST_EVENTS
    }
  }
  if (part.length > 0) yield part
}

function eventsOf({ payload, messages, last }: Slice, prefix: string, yielded: Offsets, log: Log): LoggedEvent[] {
  const { topic, partition } = payload.batch
  const name = topic.slice(prefix.length)
  const positionOf = yielded.writer(payload.batch)
  const events = messages.flatMap(message => {
    const event = eventOf(name, message)
    return event === undefined ? [] : [{ ...event, position: positionOf(Number(message.offset) + 1) }]
  })
  yielded.set(payload.batch, Number(last) + 1)
  const skipped = messages.length - events.length
  if (skipped > 0) log.warn('kafka.foreign_messages', { topic, partition, skipped, up_to_offset: last })
  return events
}
