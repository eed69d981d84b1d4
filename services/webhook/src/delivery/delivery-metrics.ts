/** Counts what comes of tries, how long endpoints take, and what keeps us from trying. */
import type { Metrics } from '@millhand/telemetry'
import type { DeliveryRecord } from '../delivery.ts'
import { countsAsTry, type DeliveryCause, isDelivered } from './transition.ts'

export function deliveryMetrics(metrics: Pick<Metrics, 'counter' | 'histogram'>) {
  const count = metrics.counter('millhand_webhook_tries_total')
  const took = metrics.histogram('millhand_webhook_try_duration_seconds')
  const putOff = metrics.counter('millhand_webhook_put_offs_total')
  return (delivery: DeliveryRecord, cause: DeliveryCause): void => {
    const { mode } = delivery
    switch (cause.kind) {
      case 'tried': {
        const outcome = isDelivered(cause.attempt) ? 'succeeded' : 'failed'
        count({ mode, outcome })
        took({ mode, outcome }, cause.attempt.ms / 1000)
        break
      }
      case 'not_tried':
        if (cause.reason !== 'aborted') putOff({ mode, reason: cause.reason })
        break
      case 'broke':
        if (countsAsTry(delivery)) count({ mode, outcome: 'failed' })
        else putOff({ mode, reason: 'internal_error' })
        break
      case 'dropped':
        count({ mode, outcome: 'cancelled' })
        break
      case 'spoiled':
        count({ mode, outcome: 'spoiled' })
        break
      default: // It was given back, since we stop.
    }
  }
}
