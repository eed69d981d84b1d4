/** An archived event as REST shows it. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { modeOfWord } from '@millhand/api'
import type { Event } from '@millhand/api/gen/millhand/event/v1/event_pb.ts'
import type { ArchivedEvent } from '../archived-event.ts'

/** What the text has, as `intake/read-event.ts` found it. */
interface Said {
  readonly account_id: string
  readonly mode: 'live' | 'test'
  readonly resource_version: number
  readonly data: { readonly object: object; readonly output_omitted?: unknown }
  readonly request_id?: unknown
}

export function eventMessage({ id, type, created_at, value }: ArchivedEvent): Event {
  const { account_id, mode, resource_version, data, request_id } = JSON.parse(value) as Said
  return {
    $typeName: 'millhand.event.v1.Event',
    id,
    type,
    createdAt: timestampFromMs(created_at),
    accountId: account_id,
    mode: modeOfWord(mode),
    resourceVersion: resource_version,
    data: {
      $typeName: 'millhand.event.v1.EventData',
      object: JSON.stringify(data.object),
      ...(data.output_omitted === true && { outputOmitted: true }),
    },
    ...(typeof request_id === 'string' && { requestId: request_id }),
  }
}
