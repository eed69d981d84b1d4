import type { HandlerContext } from '@connectrpc/connect'
import type { Cursors } from '@millhand/api'
import {
  DeliveryStatus,
  type ListDeliveriesRequest,
  type ListDeliveriesResponse,
} from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import type { Clock } from '@millhand/process'
import { principal } from '@millhand/rpc'
import { type PageInOrder, pageInOrder } from '../archive/ordered-page.ts'
import { deliveryId } from '../delivery/delivery-id.ts'
import { deliveryInList, statesShownAs } from '../delivery/delivery-message.ts'
import type { Deliveries, DeliveryRecord } from '../delivery.ts'
import { requireWebhook, type Webhooks } from '../webhook.ts'

export interface ListDeliveriesDeps {
  readonly deliveries: Pick<Deliveries, 'find'>
  readonly webhooks: Webhooks
  readonly cursors: Cursors
  readonly clock: Clock
}

/** One with 20 tries has 80 KiB of answers: reading a page of 100 in one go would stand in everybody's way. */
const READS_AT_ONCE = 25

/** Lists what is delivered to a webhook, in the order in which deliveries were made. */
export const listDeliveries =
  ({ deliveries, webhooks, cursors, clock }: ListDeliveriesDeps) =>
  async (req: ListDeliveriesRequest, call: HandlerContext): Promise<ListDeliveriesResponse> => {
    const { tenant } = principal(call)
    const { id: endpoint } = await requireWebhook(webhooks, tenant, req.webhookId)
    const { status = DeliveryStatus.UNSPECIFIED, eventId } = req
    const only = eventId === undefined ? undefined : deliveryId(eventId, endpoint)
    const { data, more } = await pageInOrder({
      find:
        only === undefined
          ? inOrder(deliveries, [tenant, endpoint], status)
          : () => deliveries.find('primary', { equals: [tenant, only], limit: 1 }),
      passes: only === undefined ? undefined : delivery => isShownAs(delivery, endpoint, status),
      atOnce: READS_AT_ONCE,
      list: ['deliveries', tenant, endpoint, status, only],
      cursors,
      request: req,
      now: clock.now(),
    })
    return {
      $typeName: 'millhand.webhook.v1.ListDeliveriesResponse',
      data: data.map(deliveryInList),
      ...more,
    }
  }

type Find = PageInOrder<DeliveryRecord>['find']

/** Those of an endpoint, of a status where one is asked for; what is shown as one status is merged. */
const inOrder =
  (
    deliveries: Pick<Deliveries, 'find'>,
    endpoint: readonly [tenant: string, id: string],
    status: DeliveryStatus,
  ): Find =>
  async query => {
    if (status === DeliveryStatus.UNSPECIFIED)
      return await deliveries.find('by_endpoint', { ...query, equals: endpoint })
    const found = await Promise.all(
      statesShownAs(status).map(state => deliveries.find('by_status', { ...query, equals: [...endpoint, state] })),
    )
    const direction = query.order === 'asc' ? 1 : -1
    return found
      .flat()
      .sort((a, b) => direction * (a.arrived - b.arrived || (a.id < b.id ? -1 : 1)))
      .slice(0, query.limit)
  }

const isShownAs = (delivery: DeliveryRecord, endpoint: string, status: DeliveryStatus): boolean =>
  delivery.endpoint === endpoint &&
  (status === DeliveryStatus.UNSPECIFIED || statesShownAs(status).includes(delivery.status))
