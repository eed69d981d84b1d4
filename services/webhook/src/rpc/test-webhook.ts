import type { HandlerContext } from '@connectrpc/connect'
import type { Ids } from '@millhand/api'
import type { Delivery } from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import type { TestWebhookRequest } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import type { Clock } from '@millhand/runner'
import type { Archive } from '../archived-event.ts'
import type { DeliveryRecord } from '../delivery.ts'
import type { Webhooks } from '../webhook.ts'

export interface TestWebhookDeps {
  readonly webhooks: Webhooks
  readonly archive: Archive
  readonly deliveries: {
    get(tenant: string, id: string): Promise<DeliveryRecord | undefined>
    insert(delivery: DeliveryRecord, events: readonly []): Promise<boolean>
  }
  readonly clock: Clock
  readonly ids: Ids
}

/** Sends a test event to one webhook alone. A second call of the same operation answers with the delivery of the first. */
export const testWebhook =
  (deps: TestWebhookDeps) =>
  async (req: TestWebhookRequest, call: HandlerContext): Promise<Delivery> => {
    throw new Error(`${deps.clock.now()} ${req} ${call}`)
  }
