import { backoff, retry, systemClock } from '@millhand/process'
import type { LoggedEvent } from './event-log.ts'

export type Handler = (events: readonly LoggedEvent[]) => Promise<void>

const waitMs = backoff({ baseMs: 100, maxMs: 10_000, random: Math.random })

/** Calls the handler until it resolves: true; or until the signal ends after a failure: false. */
export async function handled(events: readonly LoggedEvent[], handler: Handler, signal: AbortSignal): Promise<boolean> {
  // The handler's owner knows what failed and says so.
  return await retry(() => handler(events), { clock: systemClock, waitMs, signal }).then(
    () => true,
    () => false,
  )
}
