/** Request rates that several gateways share: the owner of the windows grants permits, some of them in advance. */

import { everyInterval } from '@millhand/process'
import { WindowMap } from '@millhand/rate'
import type { RateLimiter } from './limiter.ts'
import { OwnerCalls, type OwnerCallsDeps } from './owner-calls.ts'
import { SharedWindow } from './shared-window.ts'

export interface SharedLimiter extends RateLimiter {
  /** Returns permits and polls the owner, until the signal ends. */
  run(signal: AbortSignal): Promise<void>
  /** How many windows are kept. */
  readonly size: number
}

/** Milliseconds between two looks at permits, and between two calls during an outage. */
const TICK_MS = 250
/** Milliseconds between two calls at most: the owner counts the gateways, and a new owner has to hear what has passed. */
const HEARTBEAT_MS = 1_000

export function sharedLimiter(deps: OwnerCallsDeps): SharedLimiter {
  const { clock } = deps
  const windows = new WindowMap(
    name => new SharedWindow(name),
    (window, now) => window.isIdle(now),
  )
  const calls = new OwnerCalls(deps, windows)

  return {
    take({ name, limit }, weight = 1) {
      const now = clock.monotonic()
      const window = windows.get(name, now)
      window.limit = limit
      if (calls.outage !== undefined) {
        const taken = window.takeShare(weight, now, calls.outage)
        if (taken.passes) calls.add(window)
        return taken
      }
      const known = window.takeKnown(weight, now)
      if (known !== undefined) return known
      const answer = window.wait(weight)
      calls.add(window)
      // Together with the other requests of this turn of the event loop.
      if (!calls.isAsking) queueMicrotask(() => void calls.ask())
      return answer
    },

    isFull({ name, limit }, weight) {
      const now = clock.monotonic()
      const window = windows.get(name, now)
      window.limit = limit
      const { outage } = calls
      return outage === undefined ? window.isKnownFull(weight, now) : window.isShareUsed(weight, now, outage)
    },

    run: signal =>
      everyInterval(clock, TICK_MS, signal, () => {
        const now = clock.monotonic()
        calls.returnUnused(now)
        const isDue = windows.size > 0 && now - calls.askedAt >= HEARTBEAT_MS
        if (calls.hasNews || calls.outage !== undefined || isDue) void calls.ask()
      }),

    get size() {
      return windows.size
    },
  }
}
