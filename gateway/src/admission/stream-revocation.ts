/** Watches the callers of event streams: a stream ends as soon as its caller's key or account is no longer valid. */
import { codeOf, fail } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Caller } from './caller.ts'
import { type ChangeSet, concerns } from './caller-changes.ts'

export interface RevocationWatch {
  /**
   * Calls `end` with the reason once the caller may not call any more, or once that could not be known for `UNVERIFIED_MS`,
   * unless that is disposed of before.
   */
  watch(caller: Caller, end: (reason: unknown) => void): Disposable
  /** Has callers that a change concerns looked at again. */
  onChanged(changed: ChangeSet): void
  /** Ends those whose time is over, and looks at those again that are in doubt; never rejects. */
  check(): Promise<void>
}

interface Watched {
  caller: Caller
  /** Changes that concern it; at first, what changed before it was watched. */
  changes: number
  /** How many of them a look has seen. */
  seen: number
  /** It was known to be good then; by the monotonic clock. */
  verifiedAt: number
  readonly end: (reason: unknown) => void
}

export interface RevocationWatchDeps {
  /** The caller as it is now. Fails with what is answered to one that may not call. */
  current(caller: Caller): Promise<Caller>
  /** Fails where the caller's time is over. */
  requireTime(caller: Caller): void
  /** The change feed has every change up to this time; by the monotonic clock. */
  currentAt(): number
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * A caller that is not known to be good any more goes on for so long: identity is started again in less, and each stream
 * that ends then comes back at once.
 */
const UNVERIFIED_MS = 10_000

export function createRevocationWatch({
  current,
  requireTime,
  currentAt,
  clock,
}: RevocationWatchDeps): RevocationWatch {
  const all = new Set<Watched>()

  async function checkOne(watched: Watched) {
    const { changes, seen } = watched
    const checkedAt = clock.monotonic()
    try {
      requireTime(watched.caller)
      if (seen === changes) {
        watched.verifiedAt = Math.max(watched.verifiedAt, currentAt())
        if (checkedAt - watched.verifiedAt > UNVERIFIED_MS) throw unverified()
        return
      }
      const caller = await current(watched.caller)
      // Looks overlap, and may end in another order.
      if (changes <= watched.seen) return
      watched.caller = caller
      watched.seen = changes
      watched.verifiedAt = checkedAt
    } catch (error) {
      // While identity is away nothing is known: it is asked again.
      if (codeOf(error) === 'unavailable' && clock.monotonic() - watched.verifiedAt <= UNVERIFIED_MS) return
      if (all.delete(watched)) watched.end(error)
    }
  }

  return {
    watch(caller, end) {
      const watched = { caller, end, changes: 1, seen: 0, verifiedAt: clock.monotonic() }
      all.add(watched)
      return { [Symbol.dispose]: () => void all.delete(watched) }
    },
    onChanged(changed) {
      for (const watched of all) if (concerns(changed, watched.caller)) watched.changes++
    },
    async check() {
      await Promise.all([...all].map(checkOne))
    },
  }
}

const unverified = () => fail('unavailable', `Your key could not be checked for ${UNVERIFIED_MS / 1000} s.`)
