/** The events of endpoints, ready for the log. None carries a secret. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type Ids, jsonWriter, modeOfWord } from '@millhand/api'
import { EventSchema } from '@millhand/api/gen/millhand/event/v1/event_pb.ts'
import { WebhookSchema } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { OutboxEvent } from '@millhand/store'
import type { WebhookRecord } from './webhook.ts'
import { webhookMessage } from './webhook-message.ts'

export interface EventDeps {
  readonly ids: Ids
  readonly now: number
  readonly requestId?: string | undefined
}

/** The type of the event that is sent to one endpoint alone: it is in no topic. */
export const testType = 'webhook.test'

/** What became of an endpoint, which is shown as it is then. */
export function webhookEvent(
  type: keyof (typeof publicTopics.webhooks.carries)[0]['events'] | typeof testType,
  webhook: WebhookRecord,
  { ids, now, requestId }: EventDeps,
): OutboxEvent {
  const id = ids('evt')
  const value = writeEvent({
    $typeName: 'millhand.event.v1.Event',
    id,
    type,
    createdAt: timestampFromMs(now),
    accountId: webhook.account_id,
    mode: modeOfWord(webhook.mode),
    resourceVersion: webhook.resource_version,
    data: { $typeName: 'millhand.event.v1.EventData', object: writeWebhook(webhookMessage(webhook, now)) },
    ...(requestId !== undefined && { requestId }),
  })
  return { topic: publicTopics.webhooks.name, key: webhook.id, id, type, time: now, value }
}

const writeWebhook = jsonWriter(WebhookSchema)
const writeEvent = jsonWriter(EventSchema)
