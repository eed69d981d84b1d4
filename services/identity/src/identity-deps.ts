import type { Cursors, Ids } from '@millhand/api'
import type { Plans } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import type { Accounts } from './accounts/account.ts'
import type { Keys } from './keys/api-key-record.ts'
import type { KeyOrigin } from './keys/generate-key.ts'

/** The dependencies of the methods of keys and accounts. */
export interface IdentityDeps {
  readonly accounts: Accounts
  readonly keys: Keys
  readonly plans: Plans
  readonly secrets: (making: KeyOrigin) => string
  readonly cursors: Cursors
  readonly clock: Clock
  readonly ids: Ids
}
