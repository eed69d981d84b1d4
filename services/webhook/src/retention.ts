/** Removes what has been kept long enough. */
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import type { Archive } from './archived-event.ts'
import type { Deliveries } from './delivery.ts'
import type { Replays } from './replay/replay.ts'
import type { Webhooks } from './webhook.ts'

export interface RetentionDeps {
  readonly archive: Archive
  readonly deliveries: Deliveries
  readonly replays: Replays
  readonly webhooks: Webhooks
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** At once and every hour until the signal ends. */
export async function removeExpired(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  throw new Error(`${deps.clock.now()} ${signal.aborted}`)
}
