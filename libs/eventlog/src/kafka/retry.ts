import { backoff, systemClock } from '@millhand/process'

/** How long to wait before the next try of what fails while the cluster is away. */
export const retryMs = backoff({ baseMs: 100, maxMs: 1_000, random: Math.random })

/** Resolves after that many milliseconds, or when the signal ends. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await systemClock.sleep(ms, signal).catch(() => undefined)
}

/** The result of the work, or the signal's reason, thrown as soon as that ends. */
export async function orEnded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onEnd = () => reject(signal.reason)
  if (signal.aborted) onEnd()
  signal.addEventListener('abort', onEnd)
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', onEnd)
  }
}
