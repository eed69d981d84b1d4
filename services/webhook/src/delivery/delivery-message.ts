/** A delivery as REST shows it. */
import type { Delivery } from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import type { DeliveryRecord } from '../delivery.ts'

export function deliveryMessage(delivery: DeliveryRecord): Delivery {
  throw new Error(delivery.id)
}
