/** The changes of keys and accounts, polled from identity twice a second: a revocation takes effect within a second. */
import type { Client } from '@connectrpc/connect'
import type { IdentityService, Revision } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Principal } from '@millhand/rpc'
import type { Log } from '@millhand/telemetry'

/** The keys and accounts that have changed, or may have. */
export interface ChangeSet {
  readonly keyIds: ReadonlySet<string>
  readonly accountIds: ReadonlySet<string>
  readonly everything: boolean
}

/** Whether a change concerns a caller. */
export function concerns(changed: ChangeSet, { keyId, accountId }: Pick<Principal, 'keyId' | 'accountId'>): boolean {
  return changed.everything || changed.keyIds.has(keyId) || changed.accountIds.has(accountId)
}

export interface ChangeFeed {
  /** Whether the feed has every change up to a second ago. */
  isCurrent(): boolean
  /** The feed has every change up to this time; by the monotonic clock. */
  currentAt(): number
  /** Polls once; never rejects. */
  poll(signal: AbortSignal): Promise<void>
}

export interface ChangeFeedDeps {
  readonly identity: Client<typeof IdentityService>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
  /** Called with each change before the feed counts as current. */
  onChanged(changed: ChangeSet): void
}

/** Milliseconds between two polls. */
export const POLL_MS = 500

/** An answer is current for so many milliseconds, from when it was asked for. */
const FRESH_MS = 1_000

export function createChangeFeed({ identity, clock, log, onChanged }: ChangeFeedDeps): ChangeFeed {
  let after: Revision | undefined
  /** By the monotonic clock; of the last poll that was answered. */
  let polledAt = Number.NEGATIVE_INFINITY
  let isUnreachable = false

  return {
    isCurrent: () => clock.monotonic() - polledAt <= FRESH_MS,
    currentAt: () => polledAt,

    async poll(signal) {
      const now = clock.monotonic()
      try {
        const request = after === undefined ? {} : { after }
        const answer = await identity.listChanges(request, { timeoutMs: FRESH_MS, signal })
        // What was known before the first revision may have changed before that.
        const everything = answer.everything || after === undefined
        if (everything || answer.keyIds.length > 0 || answer.accountIds.length > 0) {
          onChanged({ keyIds: new Set(answer.keyIds), accountIds: new Set(answer.accountIds), everything })
        }
        after = answer.revision
        polledAt = now
        if (isUnreachable) log.info('identity.back')
        isUnreachable = false
      } catch (error) {
        if (signal.aborted) return
        if (!isUnreachable) log.warn('identity.away', { error })
        isUnreachable = true
      }
    },
  }
}
