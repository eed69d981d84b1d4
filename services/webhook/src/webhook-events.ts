/** The events of endpoints, ready for the log. None carries a secret. */
import { type Ids, jsonWriter, publicEvent } from '@millhand/api'
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
export const webhookEvent = (
  type: keyof (typeof publicTopics.webhooks.carries)[0]['events'] | typeof testType,
  webhook: WebhookRecord,
  { ids, now, requestId }: EventDeps,
): OutboxEvent =>
  publicEvent({
    topic: publicTopics.webhooks.name,
    key: webhook.id,
    id: ids('evt'),
    type,
    time: now,
    accountId: webhook.account_id,
    mode: webhook.mode,
    resourceVersion: webhook.resource_version,
    object: writeWebhook(webhookMessage(webhook, now)),
    requestId,
  })

const writeWebhook = jsonWriter(WebhookSchema)
