/** What is known here of callers' days: told with every answer, so it may keep none of them waiting. */

import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { DailyQuota } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Principal } from '@millhand/rpc'
import { LRUCache } from 'lru-cache'

export interface QuotaCache {
  /** Today of the caller: as it was heard of within the last second, else as it is told when asked for, if that is soon. */
  get(caller: Principal): Promise<CachedQuota | undefined>
  /** Today of the caller as it was heard of last, without asking. */
  last(caller: Principal): CachedQuota | undefined
  /** How the caller's day is. */
  heard(caller: Principal, quota: DailyQuota): DailyQuota
  /** What is known of the caller is not true any more. */
  forget(caller: Principal): void
}

export interface CachedQuota {
  readonly quota: DailyQuota
  /** Milliseconds since 1970. */
  readonly endsAt: number
}

interface Known {
  readonly day: CachedQuota | undefined
  /** When it was heard of, or asked for in vain, by the monotonic clock. */
  readonly at: number
}

export interface QuotaCacheDeps {
  readonly clock: Clock
  readonly ask: (caller: Principal) => Promise<DailyQuota>
}

const FRESH_MS = 1_000
/** An answer waits no longer for it: then what was known before is told. */
const PATIENCE_MS = 250
/** How many callers' days are known at once. */
const MOST_KNOWN = 10_000

/** `ask` is called at most once a second for a caller, however many wait; where it fails the last that was known is told. */
export function createQuotaCache({ clock, ask }: QuotaCacheDeps): QuotaCache {
  const known = new LRUCache<string, Known>({ max: MOST_KNOWN })
  const asking = new Map<string, Promise<void>>()

  function remember({ tenant }: Principal, day: CachedQuota | undefined): void {
    known.set(tenant, { day, at: clock.monotonic() })
  }

  function heard(caller: Principal, quota: DailyQuota): DailyQuota {
    const endsAt = quota.resetsAt ? timestampMs(quota.resetsAt) : 0
    // A task that was first tried before midnight has its place in a day that is over.
    if (endsAt > clock.now()) remember(caller, { quota, endsAt })
    return quota
  }

  /** Asks once for all who wait. */
  function refresh(caller: Principal): Promise<void> {
    const { tenant } = caller
    const under = asking.get(tenant)
    if (under) return under
    const refreshed = ask(caller)
      .then(
        quota => void heard(caller, quota),
        () => remember(caller, known.get(tenant)?.day), // Nobody asks again for a while.
      )
      .finally(() => asking.delete(tenant))
    asking.set(tenant, refreshed)
    return refreshed
  }

  const today = ({ tenant }: Principal) => {
    const day = known.get(tenant)?.day
    return day && day.endsAt > clock.now() ? day : undefined
  }

  return {
    async get(caller) {
      const last = known.get(caller.tenant)
      const isFresh = last !== undefined && clock.monotonic() - last.at < FRESH_MS
      const isOfToday = last?.day === undefined || last.day.endsAt > clock.now()
      if (!isFresh || !isOfToday) await within(clock, PATIENCE_MS, refresh(caller))
      return today(caller)
    },
    last: today,
    heard,
    forget: ({ tenant }) => void known.delete(tenant),
  }
}

async function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = clock.timer(ms, late.resolve)
  await Promise.race([work, late.promise])
  timer.cancel()
}
