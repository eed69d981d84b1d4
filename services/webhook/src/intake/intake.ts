/** Reads the event log: archives every event and makes its deliveries. */
import type { EventLog } from '@millhand/eventlog'
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import type { Archive } from '../archived-event.ts'
import type { DeliveryRecord } from '../delivery.ts'
import type { Webhooks } from '../webhook.ts'
import type { Places } from './place.ts'

export interface IntakeDeps {
  readonly events: Pick<EventLog, 'tail'>
  /** What is read: the public topics. */
  readonly topics: readonly string[]
  readonly archive: Archive
  readonly places: Places
  readonly webhooks: Pick<Webhooks, 'find'>
  /** The rows, as whoever delivers has them: it hears of each new one. */
  readonly deliveries: { insert(delivery: DeliveryRecord, events: readonly []): Promise<boolean> }
  readonly clock: Clock
  readonly log: Log
  /** From 0 up to 1. */
  readonly random: () => number
}

export interface Intake {
  /** Reads until the signal ends; of all replicas only the owner may. Never rejects: what fails is tried again. */
  run(signal: AbortSignal): Promise<void>
}

export function createIntake(deps: IntakeDeps): Intake {
  return {
    async run(signal) {
      throw new Error(`${deps.topics.length} ${signal.aborted}`)
    },
  }
}
