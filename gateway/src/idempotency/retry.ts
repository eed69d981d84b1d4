/** Retries of calls while no replica can answer. */
import { codeOf, isLost, metadataOf } from '@millhand/api'
import { backoff, type Clock } from '@millhand/process'

/** Long enough for a replica to be replaced by another, and short compared with the lease of an operation. */
const RETRY_MS = 5_000

const pauseMs = backoff({ baseMs: 50, maxMs: 500, random: Math.random })

/**
 * Calls until there is an answer, for at most `withinMs` and 5 s. For calls that may be repeated. A service whose store
 * is known to be down is not called again.
 */
export async function retryWhileUnavailable<Answer>(
  clock: Clock,
  ask: (timeoutMs: number) => Promise<Answer>,
  withinMs = RETRY_MS,
): Promise<Answer> {
  const end = clock.monotonic() + Math.min(withinMs, RETRY_MS)
  for (let tries = 1; ; tries++) {
    const leftMs = end - clock.monotonic()
    try {
      return await ask(Math.max(1, leftMs))
    } catch (error) {
      const pause = pauseMs(tries)
      const isDown = metadataOf(error).circuit === 'open'
      if (codeOf(error) !== 'unavailable' || isDown || leftMs <= pause) throw error
      await clock.sleep(pause, never)
    }
  }
}

/**
 * Calls again for 5 s while the connection is lost under the call, or there is none; all of it takes at most `withinMs`. For
 * calls that may be repeated. Where a later call fails otherwise, it fails as the first did: that one may be at it still, and
 * have taken what the later one did not find.
 */
export async function retryWhileLost<Answer>(
  clock: Clock,
  ask: (timeoutMs: number) => Promise<Answer>,
  withinMs: number,
): Promise<Answer> {
  const begun = clock.monotonic()
  let lost: unknown
  for (let tries = 1; ; tries++) {
    const tookMs = clock.monotonic() - begun
    try {
      return await ask(Math.max(1, withinMs - tookMs))
    } catch (error) {
      const pause = pauseMs(tries)
      const lastsMs = clock.monotonic() - begun + pause
      if (!isLost(error) || lastsMs >= Math.min(RETRY_MS, withinMs)) throw lost ?? error
      lost ??= error
      await clock.sleep(pause, never)
    }
  }
}

const never = new AbortController().signal
