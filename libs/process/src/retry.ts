/** Retries of what fails, until it works or a signal ends them. */
import type { Clock } from './clock.ts'

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
