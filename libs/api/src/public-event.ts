/** Events of the public stream. Contract, section 9. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { KeyMode } from './api-key.ts'
import { EventSchema } from './gen/millhand/event/v1/event_pb.ts'
import { jsonWriter } from './json/writer.ts'
import { modeOfWord } from './mode.ts'

interface PublicEvent {
  readonly topic: string
  /** The resource's id: events of one key keep their order. */
  readonly key: string
  readonly id: string
  readonly type: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly accountId: string
  readonly mode: KeyMode
  readonly resourceVersion: number
  /** The resource after the change: JSON text. */
  readonly object: string
  /** Where the output is, if the object leaves it out. */
  readonly outputUrl?: string | undefined
  readonly requestId?: string | undefined
  /** W3C trace context, where there is one. */
  readonly traceparent?: string | undefined
}

const write = jsonWriter(EventSchema)

/** The event as a store takes it, ready for the log: its `value` is JSON text. */
export function publicEvent(event: PublicEvent) {
  const { topic, key, id, type, time, accountId, mode, resourceVersion, object, outputUrl, requestId } = event
  const value = write({
    $typeName: 'millhand.event.v1.Event',
    id,
    type,
    createdAt: timestampFromMs(time),
    accountId,
    mode: modeOfWord(mode),
    resourceVersion,
    data: {
      $typeName: 'millhand.event.v1.EventData',
      object,
      ...(outputUrl !== undefined && { outputOmitted: true, outputUrl }),
    },
    ...(requestId !== undefined && { requestId }),
  })
  const { traceparent } = event
  return { topic, key, id, type, time, value, ...(traceparent !== undefined && { traceparent }) }
}
