/** Counts what comes of tries, and how long endpoints take. */
import type { KeyMode } from '@millhand/api'
import type { Metrics } from '@millhand/telemetry'
import { type DeliveryCause, isDelivered } from './transition.ts'

export function countTries(metrics: Pick<Metrics, 'counter' | 'histogram'>) {
  const count = metrics.counter('millhand_webhook_tries_total')
  const took = metrics.histogram('millhand_webhook_try_duration_seconds')
  return (mode: KeyMode, cause: DeliveryCause): void => {
    switch (cause.kind) {
      case 'tried': {
        const outcome = isDelivered(cause.attempt) ? 'succeeded' : 'failed'
        count({ mode, outcome })
        took({ mode, outcome }, cause.attempt.ms / 1000)
        break
      }
      case 'put_off':
        count({ mode, outcome: 'put_off' })
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
