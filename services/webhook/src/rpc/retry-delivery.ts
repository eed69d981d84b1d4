import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { Delivery, RetryDeliveryRequest } from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import { operationKey, principal } from '@millhand/rpc'
import { deliveryMessage } from '../delivery/delivery-message.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { requireWebhook, type Webhooks } from '../webhook.ts'
import { requireDelivery } from './get-delivery.ts'

export interface RetryDeliveryDeps {
  readonly deliveries: Dispatcher['store']
  readonly webhooks: Webhooks
}

/** Lets a delivery be tried at once. A second call of the same operation changes nothing. */
export const retryDelivery =
  ({ deliveries, webhooks }: RetryDeliveryDeps) =>
  async ({ webhookId, id }: RetryDeliveryRequest, call: HandlerContext): Promise<Delivery> => {
    const { tenant } = principal(call)
    const webhook = await requireWebhook(webhooks, tenant, webhookId)
    requireDelivery(await deliveries.get(tenant, id), webhook.id, id)
    if (webhook.status !== 'enabled') {
      throw fail('invalid_state', 'The webhook is disabled: nothing is delivered to it. Enable it, then retry.')
    }
    const result = await deliveries.change(tenant, id, { kind: 'retried', operation: call.values.get(operationKey) })
    switch (result.kind) {
      case 'changed':
        return deliveryMessage(result.after)
      case 'refused':
        if (result.reason === 'repeated') return deliveryMessage(result.current)
        throw fail('invalid_state', 'The delivery is `running`: it can be retried in every other status.')
      case 'missing':
        throw fail('not_found', `There is no delivery \`${id.slice(0, 64)}\` of that webhook.`)
    }
  }
