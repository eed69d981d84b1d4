import type { Clock } from '@millhand/runner'

/** Asks no more often than every so many milliseconds, and once at a time, however many want to know. */
export function lately<T>(keptMs: number, clock: Pick<Clock, 'monotonic'>, ask: () => Promise<T>): () => Promise<T> {
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
