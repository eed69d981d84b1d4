import type { HandlerContext } from '@connectrpc/connect'
import { fail, type Ids } from '@millhand/api'
import type { Delivery } from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import type { TestWebhookRequest } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import type { Clock } from '@millhand/process'
import { idOf, principal, requestIdKey } from '@millhand/rpc'
import type { Archiver } from '../archive/archiver.ts'
import { deliveryId } from '../delivery/delivery-id.ts'
import { deliveryMessage } from '../delivery/delivery-message.ts'
import { dueAt, newDelivery, ranks } from '../delivery/new-delivery.ts'
import type { DeliveryRecord } from '../delivery.ts'
import { requireWebhook, type WebhookRecord, type Webhooks } from '../webhook.ts'
import { testType, webhookEvent } from '../webhook-events.ts'

export interface TestWebhookDeps {
  readonly webhooks: Webhooks
  readonly archiver: Pick<Archiver, 'add'>
  readonly deliveries: {
    get(tenant: string, id: string): Promise<DeliveryRecord | undefined>
    insert(delivery: DeliveryRecord, events: readonly []): Promise<boolean>
  }
  readonly clock: Clock
  readonly ids: Ids
}

/**
 * Sends a test event to one webhook alone: it is in the archive, and not in the log. A second call of the same operation
 * answers with the delivery that the first has made.
 */
export const testWebhook =
  ({ webhooks, archiver, deliveries, clock, ids }: TestWebhookDeps) =>
  async (req: TestWebhookRequest, call: HandlerContext): Promise<Delivery> => {
    const { tenant } = principal(call)
    const webhook = await requireWebhook(webhooks, tenant, req.id)
    const id = idOf('evt', call, ids)
    const made = await deliveries.get(tenant, deliveryId(id, webhook.id))
    if (made) return deliveryMessage(made)
    if (webhook.status !== 'enabled') throw fail('invalid_state', 'The webhook is disabled: enable it to test it.')
    const event = await archiver.add(testEvent(webhook, id, clock.now(), call))
    const delivery = { ...newDelivery(event, { endpoint: webhook.id }, ranks.first), ...dueAt(clock.now()) }
    const isNew = await deliveries.insert(delivery, [])
    return deliveryMessage((isNew ? undefined : await deliveries.get(tenant, delivery.id)) ?? delivery)
  }

function testEvent(webhook: WebhookRecord, id: string, now: number, call: HandlerContext) {
  const { type, value } = webhookEvent(testType, webhook, {
    ids: (() => id) as Ids,
    now,
    requestId: call.values.get(requestIdKey),
  })
  const { tenant, id: resource_id } = webhook
  return { tenant, id, type, resource_id, created_at: now, value }
}
