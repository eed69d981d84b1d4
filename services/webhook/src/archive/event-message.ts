/** An archived event as REST shows it. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type KeyMode, modeOfWord } from '@millhand/api'
import type { Event } from '@millhand/api/gen/millhand/event/v1/event_pb.ts'
import type { ArchivedEvent } from '../archived-event.ts'
import { writtenMembers } from '../json-members.ts'

/** The object stays the text that it is, so that its numbers are those that deliveries have, however large. */
export function eventMessage({ tenant, id, type, created_at, value }: ArchivedEvent): Event {
  const [accountId = '', mode] = tenant.split('/')
  const {
    resource_version = '0',
    data = '',
    request_id,
  } = writtenMembers(value, ['resource_version', 'data', 'request_id'])
  const members = ['object', 'output_omitted', 'output_url'] as const
  const { object = '', output_omitted, output_url } = writtenMembers(data, members)
  return {
    $typeName: 'millhand.event.v1.Event',
    id,
    type,
    createdAt: timestampFromMs(created_at),
    accountId,
    mode: modeOfWord(mode as KeyMode),
    resourceVersion: Number(resource_version),
    data: {
      $typeName: 'millhand.event.v1.EventData',
      object,
      ...(output_omitted === 'true' && { outputOmitted: true }),
      ...(output_url?.startsWith('"') && { outputUrl: JSON.parse(output_url) as string }),
    },
    ...(request_id?.startsWith('"') && { requestId: JSON.parse(request_id) as string }),
  }
}
