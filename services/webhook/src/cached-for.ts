import type { Clock } from '@millhand/process'

/** Caches the answer of `ask` for `keptMs` milliseconds; concurrent callers share one call. */
export function cachedFor<T>(keptMs: number, clock: Pick<Clock, 'monotonic'>, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (answer === undefined || clock.monotonic() - askedAt >= keptMs) {
      askedAt = clock.monotonic()
      answer = ask()
    }
    return answer
  }
}
