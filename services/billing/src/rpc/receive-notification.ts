import type {
  ReceiveNotificationRequest,
  ReceiveNotificationResponse,
} from '@millhand/api/gen/millhand/billing/v1/payment_service_pb.ts'
import { type PaymentDeps, storeReport } from '../payment/collecting.ts'

/** Takes what the payment processor reports. It is stored when this resolves, so the processor need not send it again. */
export const receiveNotification =
  (deps: PaymentDeps) =>
  async ({ body, signature }: ReceiveNotificationRequest): Promise<ReceiveNotificationResponse> => {
    const report = await deps.processor.read(body, signature)
    if (report) await storeReport(deps, report)
    return { $typeName: 'millhand.billing.v1.ReceiveNotificationResponse' }
  }
