/** The events of API keys, ready for the log. None carries a key or its hash. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type Ids, jsonWriter, modeOfWord } from '@millhand/api'
import { EventSchema } from '@millhand/api/gen/millhand/event/v1/event_pb.ts'
import { ApiKeySchema } from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import type { OutboxEvent } from '@millhand/store'
import { identityTopic } from '../identity-topic.ts'
import { type KeyRecord, keyMessage } from './api-key.ts'

const writeKey = jsonWriter(ApiKeySchema)
const writeEvent = jsonWriter(EventSchema)

export interface EventDeps {
  readonly ids: Ids
  readonly now: number
  readonly requestId?: string | undefined
}

/** What became of a key, which is shown as it is then. */
export function keyEvent(
  type: 'key.created' | 'key.rotated' | 'key.revoked',
  key: KeyRecord,
  { ids, now, requestId }: EventDeps,
): OutboxEvent {
  const id = ids('evt')
  const value = writeEvent({
    $typeName: 'millhand.event.v1.Event',
    id,
    type,
    createdAt: timestampFromMs(now),
    accountId: key.account_id,
    mode: modeOfWord(key.mode),
    resourceVersion: key.resource_version,
    data: { $typeName: 'millhand.event.v1.EventData', object: writeKey(keyMessage(key)) },
    ...(requestId !== undefined && { requestId }),
  })
  return { topic: identityTopic, key: key.id, id, type, time: now, value }
}
