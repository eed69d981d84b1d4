import type { Clock } from '@millhand/process'
import type { Entries } from './usage/usage-entry.ts'
import type { Hours } from './usage/usage-hour.ts'

/** The dependencies of the methods. */
export interface BillingDeps {
  readonly entries: Entries
  readonly hours: Hours
  readonly clock: Clock
}
