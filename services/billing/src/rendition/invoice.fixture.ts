/** Invoices to be rendered. */
import type { InvoiceRecord } from '../ledger/invoice.ts'
import { type LineSum, totalOf } from '../ledger/line.ts'

const micros = (amount: number) => ({ micros: amount, would_micros: amount })

export const fewLines: readonly LineSum[] = [
  {
    ...{ family: 'compute', kind: 'compute', model: 'digits', gpu_type: 'cpu', unit_nanos: 20_000 },
    ...{ quantity: 1_234_567_890, ...micros(24_691_358) },
  },
  {
    ...{ family: 'compute', kind: 'compute', model: 'own', gpu_type: 'nvidia-h100-80gb-hbm3', unit_nanos: 1_100_000 },
    ...{ quantity: 86_400_000, ...micros(95_040_000) },
  },
  { family: 'compute', kind: 'subscription', plan: 'growth', unit_micros: 0, quantity: 2_592_000, ...micros(0) },
  {
    ...{ family: 'developer', kind: 'adjustment', of: 'subscription', of_time: '2026-10', quantity: 0 },
    ...micros(-24_500_000),
  },
  {
    ...{ family: 'developer', kind: 'subscription', plan: 'business', unit_micros: 199_000_000 },
    ...{ quantity: 864_000, ...micros(66_333_333) },
  },
  {
    ...{ family: 'developer', kind: 'subscription', plan: 'pro', unit_micros: 49_000_000 },
    ...{ quantity: 864_000, ...micros(16_333_334) },
  },
  {
    ...{ family: 'workforce', kind: 'adjustment', of: 'tasks', of_time: '2026-10-31', employee: 'emma' },
    ...{ unit_nanos: 20_000, quantity: 4_000, ...micros(80) },
  },
  { family: 'workforce', kind: 'tokens', employee: 'emma', quantity: 1_204_551, ...micros(3_204_551) },
]

export function invoiceWith(lines: readonly LineSum[]): InvoiceRecord {
  return {
    ...{ tenant: 'acct_01jd7x8f2wfyqs3m6k9v0t4b5c/live', id: 'inv_01kbgqe0k1f4r8vd52m7c3w9xa', version: 1 },
    ...{ number: 7, month: '2026-11', lines, total_micros: totalOf(lines), finalized_at: Date.UTC(2026, 11, 4) },
  }
}
