/** What has changed of keys and accounts, asked of identity twice a second: a revocation holds within a second. */
import type { Client } from '@connectrpc/connect'
import type { IdentityService, Revision } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Principal } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'

/** What has changed, or may have. */
export interface Changed {
  readonly keyIds: ReadonlySet<string>
  readonly accountIds: ReadonlySet<string>
  readonly everything: boolean
}

/** Whether what is known of a caller may not hold any more. */
export function concerns(changed: Changed, { keyId, accountId }: Pick<Principal, 'keyId' | 'accountId'>): boolean {
  return changed.everything || changed.keyIds.has(keyId) || changed.accountIds.has(accountId)
}

export interface Changes {
  /** Whether every change up to a second ago was told. */
  areKnown(): boolean
  /** Every change up to this time was told; by the monotonic clock. */
  knownAt(): number
  /** Asks once; never rejects. */
  poll(signal: AbortSignal): Promise<void>
}

export interface ChangesDeps {
  readonly identity: Client<typeof IdentityService>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
  /** Hears of each change once it is told, before it is taken for known. */
  onChanged(changed: Changed): void
}

/** Between an answer and the next question: milliseconds. */
export const POLL_MS = 500

/** What was told counts for so long, from when it was asked. */
const FRESH_MS = 1_000

export function createChanges({ identity, clock, log, onChanged }: ChangesDeps): Changes {
  let after: Revision | undefined
  /** By the monotonic clock; of the last question that was answered. */
  let askedAt = Number.NEGATIVE_INFINITY
  let isAway = false

  return {
    areKnown: () => clock.monotonic() - askedAt <= FRESH_MS,
    knownAt: () => askedAt,

    async poll(signal) {
      const now = clock.monotonic()
      try {
        const asked = after === undefined ? {} : { after }
        const told = await identity.listChanges(asked, { timeoutMs: FRESH_MS, signal })
        // What was known before the first revision may have changed before that.
        const everything = told.everything || after === undefined
        if (everything || told.keyIds.length > 0 || told.accountIds.length > 0) {
          onChanged({ keyIds: new Set(told.keyIds), accountIds: new Set(told.accountIds), everything })
        }
        after = told.revision
        askedAt = now
        if (isAway) log.info('identity.back')
        isAway = false
      } catch (error) {
        if (signal.aborted) return
        if (!isAway) log.warn('identity.away', { error })
        isAway = true
      }
    },
  }
}
