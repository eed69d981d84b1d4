/** Removes consumers that have ended long ago. */
import { type Clock, everyInterval } from '@millhand/process'
import { noAccount } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { allConsumers, type Consumers, endOf } from './consumer-record.ts'

const DAY_MS = 86_400_000
/** For so long one that has ended is listed: docs/grpc.md. Services are told why it ended for a shorter time. */
const KEPT_MS = 90 * DAY_MS
const EVERY_MS = DAY_MS / 24

interface RemoveDeps {
  readonly consumers: Consumers
  readonly clock: Clock
  readonly log: Log
}

/** Every hour until the signal ends. Never rejects. One replica is enough; several disturb nothing. */
export function removeEndedConsumers({ consumers, clock, log }: RemoveDeps, signal: AbortSignal): Promise<void> {
  return everyInterval(clock, EVERY_MS, signal, async () => {
    try {
      const now = clock.now()
      for (const consumer of await allConsumers(consumers)) {
        if (now - (endOf(consumer, now) ?? now) < KEPT_MS) continue
        const { id, version } = consumer
        // A conflict says that it has changed just now: the next pass looks at it again.
        await consumers.write({ kind: 'remove', tenant: noAccount, id, version, events: [] })
      }
    } catch (error) {
      log.error('consumers.not_removed', { error })
    }
  })
}
