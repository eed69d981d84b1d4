/** What a run asks of the services (files, a note of what it may cost): asked again while nobody is there for it. */
import { codeOf } from '@millhand/api'
import { type Clock, retry } from '@millhand/process'

/** Whatever a lease is needed for is tried again for longer than one lasts: after that it would be refused. */
export const giveUpAfterMs = 15_000
export const retryEveryMs = 250

export interface RetryOptions {
  readonly clock: Clock
  /** Ends it, with its reason. */
  readonly signal: AbortSignal
  /** Hears of every try that failed. */
  readonly onFailure: (error: unknown) => void
}

/**
 * What `once` gives; asked again, from the beginning, while it fails because a replica is away or stands still, for 15 s
 * from the first failure. Rejects as it does then, and with the signal's reason.
 */
export function retryWhileUnavailable<R>(
  once: () => Promise<R>,
  { clock, signal, onFailure }: RetryOptions,
): Promise<R> {
  let failingSince: number | undefined
  return retry(once, {
    clock,
    signal,
    waitMs: () => retryEveryMs,
    onFailure(error) {
      onFailure(error)
      failingSince ??= clock.monotonic()
      if (!isAway(error) || clock.monotonic() - failingSince >= giveUpAfterMs) throw error
    },
  })
}

/** Whether it failed because a replica is away or stands still. */
export const isAway = (error: unknown): boolean => ['unavailable', 'deadline_exceeded'].includes(codeOf(error))

/** How long a try may take for so many bytes, in milliseconds: half a minute, and a second for each MiB. */
export const transferMs = (bytes: number): number => 30_000 + Math.ceil((bytes / 2 ** 20) * 1_000)
