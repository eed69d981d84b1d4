import { backoff, systemClock } from '@millhand/runner'
import type { LoggedEvent } from './event-log.ts'

export type Handler = (events: readonly LoggedEvent[]) => Promise<void>

const waitMs = backoff({ baseMs: 100, maxMs: 10_000, random: Math.random })

/** Calls the handler until it resolves: true; or until the signal ends after a failure: false. */
export async function handled(events: readonly LoggedEvent[], handler: Handler, signal: AbortSignal): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      await handler(events)
      return true
    } catch {
      // The handler's owner knows what failed and says so; here it only means: again.
      await systemClock.sleep(waitMs(attempt), signal).catch(() => undefined)
      if (signal.aborted) return false
    }
  }
}
