import type { Prices } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import type { Invoices } from './ledger/invoice.ts'
import type { Ledgers } from './ledger/ledger.ts'
import type { Payments } from './payment/payment.ts'
import type { Entries } from './usage/usage-entry.ts'
import type { Hours } from './usage/usage-hour.ts'

/** The dependencies of the methods of usage. */
export interface BillingDeps {
  readonly entries: Entries
  readonly hours: Hours
  readonly clock: Clock
}

/** Those of the methods of bills. */
export interface BillDeps {
  readonly ledgers: Ledgers
  readonly invoices: Invoices
  readonly payments: Pick<Payments, 'get' | 'find'>
  readonly prices: Prices
  readonly clock: Clock
  readonly graceMs: number
}
