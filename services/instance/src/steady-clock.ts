/** A calendar without jumps: what is metered by it is right when the machine's clock is set. */
import type { Clock } from '@millhand/process'

/** A step of the calendar; what is less is drift, which it follows. */
const STEP_MS = 1_000

/** Milliseconds since 1970, as the calendar has it, but for what that was set by in jumps since the start. */
export function createSteadyClock(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  /** The calendar's lead over the monotonic clock; jumps do not count. */
  let lead = clock.now() - clock.monotonic()
  /** How far jumps have taken the calendar from this clock. */
  let jumped = 0
  let latest = clock.now()
  return () => {
    const monotonic = clock.monotonic()
    const drift = clock.now() - jumped - monotonic - lead
    if (Math.abs(drift) >= STEP_MS) jumped += drift
    else lead += drift
    latest = Math.max(latest, monotonic + lead)
    return Math.round(latest)
  }
}
