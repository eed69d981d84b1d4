import type { Ids } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { IdempotencyRecords } from './idempotency-record.ts'

/** The dependencies of the methods. */
export interface IdempotencyDeps {
  readonly idempotency: IdempotencyRecords
  readonly clock: Clock
  readonly ids: Ids
  /** From 0 up to 1. */
  readonly random: () => number
}
