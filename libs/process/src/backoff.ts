/** Exponential backoff with full jitter. */

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
