/** Works off the replays that were asked for. */
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import type { Archive } from '../archived-event.ts'
import type { DeliveryRecord } from '../delivery.ts'
import type { Webhooks } from '../webhook.ts'
import type { Replays } from './replay.ts'

export interface ReplayingDeps {
  readonly replays: Replays
  readonly archive: Pick<Archive, 'find'>
  readonly webhooks: Pick<Webhooks, 'get'>
  readonly deliveries: {
    insert(delivery: DeliveryRecord, events: readonly []): Promise<boolean>
    /** Begins it anew, unless it waits or runs. */
    change(tenant: string, id: string, cause: { readonly kind: 'replayed' }): Promise<unknown>
  }
  readonly clock: Clock
  readonly log: Log
}

/** Until the signal ends; of all replicas only the owner may. Never rejects: what fails is tried again. */
export async function workOffReplays(deps: ReplayingDeps, signal: AbortSignal): Promise<void> {
  throw new Error(`${deps.clock.now()} ${signal.aborted}`)
}
