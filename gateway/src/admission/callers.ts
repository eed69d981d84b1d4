/** Callers by their API keys, for as long as the key and its account are valid. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import { fail, type KeyName, keyRefOf } from '@millhand/api'
import type { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { type Clock, everyInterval } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import type { Caller, Holder } from './caller.ts'
import { createChangeFeed, POLL_MS } from './caller-changes.ts'
import { createKeyCache, type PresentedKey } from './key-cache.ts'
import { createRevocationWatch, type RevocationWatch } from './stream-revocation.ts'

/**
 * The caller; no promise where the key is cached. Fails with `invalid_credentials`, `expired_credentials`,
 * `revoked_credentials`, `account_suspended`, or with `unavailable` while identity can't be reached.
 */
export interface Callers {
  byKey(presented: PresentedKey): Caller | Promise<Caller>
  /** By the id of a key: for what was made with it. */
  byName(name: KeyName): Caller | Promise<Caller>
  /**
   * Calls `end` with one of these within a second, once the caller may not call any more; with `unavailable` where that
   * can't be known for over 10 s.
   */
  watch: RevocationWatch['watch']
  /** Keeps the cache up to date until the signal ends, and reports when keys were used. */
  run(signal: AbortSignal): Promise<void>
}

export interface CallersDeps {
  readonly identity: Client<typeof IdentityService>
  readonly clock: Clock
  readonly log: Log
}

export function createCallers({ identity, clock, log }: CallersDeps): Callers {
  const uses = createKeyUses(identity, log)
  const changes = createChangeFeed({
    identity,
    clock,
    log,
    onChanged(changed) {
      keys.invalidate(changed)
      watched.onChanged(changed)
    },
  })
  const keys = createKeyCache({ identity, clock, isFeedCurrent: changes.isCurrent })
  const watched = createRevocationWatch({
    current: async caller => callerIn(await keys.byName(caller), clock.now()),
    requireTime: caller => requireTime(caller, clock.now()),
    currentAt: changes.currentAt,
    clock,
  })
  const use = (holder: Holder) => {
    const now = clock.now()
    const caller = callerIn(holder, now)
    uses.record(caller, now)
    return caller
  }
  /** Most keys are cached, and need no promise. */
  const callerOf = (holder: Holder | Promise<Holder>) => (holder instanceof Promise ? holder.then(use) : use(holder))

  return {
    byKey: presented => callerOf(keys.byKey(presented)),
    byName: name => callerOf(keys.byName(name)),
    watch: watched.watch,

    async run(signal) {
      let checking: Promise<void> | undefined
      const polling = everyInterval(clock, POLL_MS, signal, async () => {
        await changes.poll(signal)
        checking = watched.check() // Not waited for: a slow answer about one caller must not keep the next poll back.
      })
      await Promise.all([polling, everyInterval(clock, REPORT_MS, signal, uses.report)])
      await checking
      await uses.report()
    },
  }
}

function callerIn({ caller, isRevoked, isSuspended }: Holder, now: number): Caller {
  if (isRevoked) throw fail('revoked_credentials', 'The key has been revoked.')
  requireTime(caller, now)
  if (isSuspended) throw fail('account_suspended', 'The account is suspended.')
  return caller
}

function requireTime({ expiresAt }: Caller, now: number) {
  if (expiresAt <= now) throw fail('expired_credentials', 'The key has expired.')
}

/** Reports to identity once a minute when keys were last used. */
interface KeyUses {
  /** Records that a key was used at a time, in milliseconds since 1970. */
  record(key: KeyName, now: number): void
  /** Reports what was recorded; what can't be reported is lost. Never rejects. */
  report(): Promise<void>
}

/** Between two reports: milliseconds. */
const REPORT_MS = 60_000

function createKeyUses(identity: Client<typeof IdentityService>, log: Log): KeyUses {
  /** By the key's id: its latest use. */
  let latest = new Map<string, { readonly key: KeyName; readonly at: number }>()

  return {
    record(key, now) {
      latest.set(key.keyId, { key, at: now })
    },

    async report() {
      const uses = [...latest.values()].map(({ key, at }) => ({ key: keyRefOf(key), usedAt: timestampFromMs(at) }))
      latest = new Map()
      for (let first = 0; first < uses.length; first += MAX_USES) {
        try {
          await identity.reportKeyUse({ uses: uses.slice(first, first + MAX_USES) }, { timeoutMs: TIMEOUT_MS })
        } catch (error) {
          log.warn('key_uses.lost', { uses: uses.length - first, error })
          return
        }
      }
    },
  }
}

/** Of one call. */
const MAX_USES = 1_000
/** The process may be stopping. */
const TIMEOUT_MS = 2_000
