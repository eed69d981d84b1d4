import type { HandlerContext } from '@connectrpc/connect'
import { type Cursors, firstIdAt } from '@millhand/api'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import {
  DeliveryStatus,
  type ListDeliveriesRequest,
  type ListDeliveriesResponse,
} from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import { principal } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import { type PageOf, readPage, settlesAfterMs } from '@millhand/store'
import { deliveryId } from '../delivery/delivery-id.ts'
import { deliveryMessage, statesShownAs } from '../delivery/delivery-message.ts'
import type { Deliveries, DeliveryRecord } from '../delivery.ts'
import { foundWebhook, type Webhooks } from '../webhook.ts'

export interface ListDeliveriesDeps {
  readonly deliveries: Pick<Deliveries, 'find'>
  readonly webhooks: Webhooks
  readonly cursors: Cursors
  readonly clock: Clock
}

/** Lists what is delivered to a webhook, by the time of the events. */
export const listDeliveries =
  ({ deliveries, webhooks, cursors, clock }: ListDeliveriesDeps) =>
  async (req: ListDeliveriesRequest, call: HandlerContext): Promise<ListDeliveriesResponse> => {
    const { tenant } = principal(call)
    const { id: endpoint } = await foundWebhook(webhooks, tenant, req.webhookId)
    const { status = DeliveryStatus.UNSPECIFIED, eventId } = req
    const only = eventId === undefined ? undefined : deliveryId(eventId, endpoint)
    const { data, more } = await readPage({
      find: only === undefined ? inOrder(deliveries, endpoint, status) : onlyOne(deliveries, only),
      tenant,
      range: {
        after: undefined,
        before: req.order === Order.ASC ? firstIdAt('dlv', clock.now() - settlesAfterMs) : undefined,
      },
      passes: only === undefined ? undefined : delivery => isShownAs(delivery, endpoint, status),
      list: ['deliveries', endpoint, status, only],
      cursors,
      request: req,
    })
    return {
      $typeName: 'millhand.webhook.v1.ListDeliveriesResponse',
      data: data.map(deliveryMessage),
      ...more,
    }
  }

type Find = PageOf<DeliveryRecord>['find']

/** Those of an endpoint, of a status where one is asked for; what is shown as one status is merged. */
const inOrder =
  (deliveries: Pick<Deliveries, 'find'>, endpoint: string, status: DeliveryStatus): Find =>
  async (_, { equals: [tenant = ''], ...query }) => {
    if (status === DeliveryStatus.UNSPECIFIED) {
      return await deliveries.find('by_endpoint', { ...query, equals: [tenant, endpoint] })
    }
    const found = await Promise.all(
      statesShownAs(status).map(state => deliveries.find('by_status', { ...query, equals: [tenant, endpoint, state] })),
    )
    const direction = query.order === 'asc' ? 1 : -1
    return found
      .flat()
      .sort((a, b) => (a.id < b.id ? -direction : direction))
      .slice(0, query.limit)
  }

/** The one of an id, where it lies within what is asked for. */
const onlyOne =
  (deliveries: Pick<Deliveries, 'find'>, id: string): Find =>
  async (_, { equals: [tenant = ''], after: [after = ''] = [], before: [before] = [] }) =>
    id > after && (before === undefined || id < before)
      ? await deliveries.find('primary', { equals: [tenant, id], limit: 1 })
      : []

const isShownAs = (delivery: DeliveryRecord, endpoint: string, status: DeliveryStatus): boolean =>
  delivery.endpoint === endpoint &&
  (status === DeliveryStatus.UNSPECIFIED || statesShownAs(status).includes(delivery.status))
