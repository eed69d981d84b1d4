/** The events of API keys, ready for the log. None carries a key or its hash. */
import { type Ids, jsonWriter, publicEvent } from '@millhand/api'
import { ApiKeySchema } from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import type { OutboxEvent } from '@millhand/store'
import { identityTopic } from '../identity-topic.ts'
import { type KeyRecord, keyMessage } from './api-key-record.ts'

const writeKey = jsonWriter(ApiKeySchema)

export interface EventDeps {
  readonly ids: Ids
  readonly now: number
  readonly requestId?: string | undefined
}

/** What became of a key, which is shown as it is then. */
export const keyEvent = (
  type: 'key.created' | 'key.rotated' | 'key.revoked',
  key: KeyRecord,
  { ids, now, requestId }: EventDeps,
): OutboxEvent =>
  publicEvent({
    topic: identityTopic,
    key: key.id,
    id: ids('evt'),
    type,
    time: now,
    accountId: key.account_id,
    mode: key.mode,
    resourceVersion: key.resource_version,
    object: writeKey(keyMessage(key)),
    requestId,
  })
