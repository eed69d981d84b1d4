/** Loops that end with a signal, and waits that grow. */
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

export interface BackoffOptions {
  /** The most that the first wait may be. */
  readonly baseMs: number
  /** The most that any wait may be. */
  readonly maxMs: number
  /** From 0 up to 1. */
  readonly random: () => number
}

/**
 * Milliseconds to wait before try `attempt + 1`, after `attempt` tries (from 1) have failed: full jitter, anywhere
 * between 0 and a limit that doubles with each try. Full jitter finishes with the fewest calls of the usual schemes
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export function backoff({ baseMs, maxMs, random }: BackoffOptions): (attempt: number) => number {
  return attempt => random() * Math.min(maxMs, baseMs * 2 ** (attempt - 1))
}

export interface RetryOptions {
  readonly clock: Pick<Clock, 'sleep'>
  /** Milliseconds to wait after `attempt` tries (from 1) have failed. */
  readonly waitMs: (attempt: number) => number
  /** Ends the tries. */
  readonly signal: AbortSignal
  /** Is told of each failure while the signal has not fired. What it throws ends the tries. */
  readonly onFailure?: (error: unknown, attempt: number) => void
}

/**
 * Calls `work` at once, and again after a wait for as long as it fails. Rejects with the signal's reason where that fires
 * first, and with what `onFailure` throws.
 */
export async function retry<T>(work: () => Promise<T>, { clock, waitMs, signal, onFailure }: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      onFailure?.(error, attempt)
      await clock.sleep(waitMs(attempt), signal)
    }
  }
}
