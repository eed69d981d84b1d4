import type { Clock } from '@millhand/process'
import type { Collection } from '@millhand/store'
import type { DayRecord } from './daily-history.ts'

/** The dependencies of the methods. */
export interface StatusDeps {
  readonly days: Collection<DayRecord, never>
  readonly clock: Clock
}
