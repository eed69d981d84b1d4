import { decimalOf } from '@millhand/api'
import type { UsageLine } from '@millhand/api/gen/millhand/billing/v1/usage_pb.ts'
import type { Sum } from '../usage/usage-sum.ts'

export const lineMessage = (sum: Sum): UsageLine => ({
  $typeName: 'millhand.billing.v1.UsageLine',
  tasks: {
    $typeName: 'millhand.billing.v1.TaskCounts',
    succeeded: sum.succeeded,
    failed: sum.failed,
    cancelled: sum.cancelled,
    expired: sum.expired,
  },
  computeSeconds: sum.compute_ms / 1000,
  inputTokens: sum.input_tokens,
  outputTokens: sum.output_tokens,
  items: sum.items,
  cost: { $typeName: 'millhand.type.v1.Money', amount: decimalOf(sum.cost_micros), currency: 'USD' },
})
