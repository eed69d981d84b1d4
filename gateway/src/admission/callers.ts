/** Who may call: by their key, and for as long as that and their account are good. */
import type { Client } from '@connectrpc/connect'
import { fail, type KeyName } from '@millhand/api'
import type { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { type Clock, everyInterval } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import type { Caller, Holder } from './caller.ts'
import { createChanges, POLL_MS } from './changes.ts'
import { createKnownKeys, type PresentedKey } from './key-cache.ts'
import { createKeyUses, REPORT_MS } from './key-uses.ts'
import { createWatchedCallers, type WatchedCallers } from './watched-callers.ts'

/**
 * Who calls; at once where that is known. Fails with `invalid_credentials`, `expired_credentials`,
 * `revoked_credentials`, `account_suspended`, or with `unavailable` while identity can't be asked.
 */
export interface Callers {
  byKey(presented: PresentedKey): Caller | Promise<Caller>
  /** By the id of a key: for what was made with it. */
  byName(name: KeyName): Caller | Promise<Caller>
  /**
   * Calls `end` with one of these within a second, once the caller may not call any more; with `unavailable` where that
   * can't be known for over 10 s.
   */
  watch: WatchedCallers['watch']
  /** Keeps what is known true until the signal ends; then tells when keys were used. */
  run(signal: AbortSignal): Promise<void>
}

export interface CallersDeps {
  readonly identity: Client<typeof IdentityService>
  readonly clock: Clock
  readonly log: Log
}

export function createCallers({ identity, clock, log }: CallersDeps): Callers {
  const uses = createKeyUses(identity, log)
  const changes = createChanges({
    identity,
    clock,
    log,
    onChanged(changed) {
      known.forget(changed)
      watched.onChanged(changed)
    },
  })
  const known = createKnownKeys({ identity, clock, areChangesKnown: changes.areKnown })
  const watched = createWatchedCallers({
    current: async caller => callerIn(await known.byName(caller), clock.now()),
    requireTime: caller => requireTime(caller, clock.now()),
    knownAt: changes.knownAt,
    clock,
  })
  const judged = (holder: Holder) => {
    const now = clock.now()
    const caller = callerIn(holder, now)
    uses.note(caller, now)
    return caller
  }
  /** Most are known, and need not wait for the next turn. */
  const whenTold = (holder: Holder | Promise<Holder>) =>
    holder instanceof Promise ? holder.then(judged) : judged(holder)

  return {
    byKey: presented => whenTold(known.byKey(presented)),
    byName: name => whenTold(known.byName(name)),
    watch: watched.watch,

    async run(signal) {
      let looking: Promise<void> | undefined
      const polling = everyInterval(clock, POLL_MS, signal, async () => {
        await changes.poll(signal)
        looking = watched.look() // Not waited for: a slow answer about one caller must not keep the next poll back.
      })
      await Promise.all([polling, everyInterval(clock, REPORT_MS, signal, uses.report)])
      await looking
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
