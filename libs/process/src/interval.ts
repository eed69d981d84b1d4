/** Loops that run at an interval until a signal ends them. */
import type { Clock } from './clock.ts'

/**
 * Calls `fn` at once and then again `ms` after each call has ended, so that calls never overlap. Resolves when `signal`
 * fires; rejects as soon as `fn` does, unless the signal has fired.
 */
export async function everyInterval(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  fn: (signal: AbortSignal) => Promise<void> | void,
): Promise<void> {
  try {
    while (!signal.aborted) {
      await fn(signal)
      await clock.sleep(ms, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
