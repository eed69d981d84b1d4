/** The JSON of an event. Contract, section 9. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { KeyMode } from './api-key.ts'
import { EventSchema } from './gen/millhand/event/v1/event_pb.ts'
import { jsonWriter } from './json/writer.ts'
import { modeOfWord } from './mode.ts'

interface EventContent {
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
}

const write = jsonWriter(EventSchema)

/** The event as JSON text. */
export function eventJson(event: EventContent): string {
  const { id, type, time, accountId, mode, resourceVersion, object, outputUrl, requestId } = event
  return write({
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
}
