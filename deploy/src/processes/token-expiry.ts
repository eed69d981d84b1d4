import type { Clock, Health } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { DAY_MS } from '../config-parts.ts'

export interface TokenWatch {
  readonly clock: Clock
  readonly log: Log
  readonly health: Health
}

/**
 * From a week before a process's own token ends, tells the log each day. Once it has ended, whoever it calls refuses
 * it: it is not ready any more, and the log hears that it has ended, each day.
 */
export async function watchTokenExpiry(
  expiresAt: number | undefined,
  { clock, log, health }: TokenWatch,
  signal: AbortSignal,
): Promise<void> {
  if (expiresAt === undefined) return
  const end = { expires_at: new Date(expiresAt).toISOString() }
  while (!signal.aborted) {
    const left = expiresAt - clock.now()
    if (left <= 0) {
      health.set('token', false, `MILLHAND_SERVICE_TOKEN expired at ${end.expires_at}`)
      log.error('credentials.expired', end)
    } else if (left <= 7 * DAY_MS) log.warn('credentials.expire', end)
    await clock.sleep(left > 0 ? Math.min(left, DAY_MS) : DAY_MS, signal).catch(() => {})
  }
}
