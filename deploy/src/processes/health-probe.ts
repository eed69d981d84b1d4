/** Probes what a process needs of others. */
import { systemClock as clock, everyInterval, type Health } from '@millhand/process'
import type { Log } from '@millhand/telemetry'

/** One that says nothing for so long can't be used: a server that stands still leaves its callers waiting. */
const ANSWER_MS = 3_000

/** Asks every second whether `part` can be used, until the signal ends. */
export function probeHealth(
  part: string,
  health: Health,
  ask: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  return everyInterval(clock, 1_000, signal, async () => {
    try {
      await ask(AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]))
      health.set(part, true)
    } catch (error) {
      health.set(part, false, (error as Error).message)
    }
  })
}

/** Tries every second until it has worked, or the signal ends. */
export async function untilItWorks(work: () => Promise<void>, signal: AbortSignal, log: Log): Promise<void> {
  while (!signal.aborted) {
    try {
      return await work()
    } catch (error) {
      log.warn('start.waits', { error })
      await clock.sleep(1_000, signal).catch(() => {})
    }
  }
}
