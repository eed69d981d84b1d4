import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { Delivery, GetDeliveryRequest } from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import { principal } from '@millhand/rpc'
import { deliveryMessage } from '../delivery/delivery-message.ts'
import type { Deliveries, DeliveryRecord } from '../delivery.ts'
import { requireWebhook, type Webhooks } from '../webhook.ts'

export interface GetDeliveryDeps {
  readonly deliveries: Pick<Deliveries, 'get'>
  readonly webhooks: Webhooks
}

/** Gets a delivery with its newest tries. */
export const getDelivery =
  ({ deliveries, webhooks }: GetDeliveryDeps) =>
  async ({ webhookId, id }: GetDeliveryRequest, call: HandlerContext): Promise<Delivery> => {
    const { tenant } = principal(call)
    const webhook = await requireWebhook(webhooks, tenant, webhookId)
    return deliveryMessage(requireDelivery(await deliveries.get(tenant, id), webhook.id, id))
  }

/** One of that webhook. Fails with `not_found`. */
export function requireDelivery(delivery: DeliveryRecord | undefined, webhookId: string, id: string): DeliveryRecord {
  if (delivery?.endpoint === webhookId) return delivery
  throw fail('not_found', `There is no delivery \`${id.slice(0, 64)}\` of that webhook.`)
}
