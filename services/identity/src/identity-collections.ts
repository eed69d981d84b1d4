import type { Collection } from '@millhand/store'
import type { Accounts } from './accounts/account.ts'
import type { ChangesRecord } from './changes/changes.ts'
import type { Consumers } from './consumers/consumer-record.ts'
import type { IdempotencyRecords } from './idempotency/idempotency-record.ts'
import type { Keys } from './keys/api-key-record.ts'
import type { Daily } from './quota/daily-quota.ts'

/** What identity owns. */
export interface IdentityCollections {
  readonly accounts: Accounts
  readonly keys: Keys
  readonly consumers: Consumers
  readonly changes: Collection<ChangesRecord>
  readonly daily: Daily
  readonly idempotency: IdempotencyRecords
}
