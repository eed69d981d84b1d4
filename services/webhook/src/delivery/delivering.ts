/** Delivers what is there to deliver: a pool of leased work for each mode, and couriers. */
import type { Ids } from '@millhand/api'
import type { WorkStore } from '@millhand/lease'
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import type { Archive } from '../archived-event.ts'
import type { Deliveries, DeliveryRecord } from '../delivery.ts'
import type { Signing } from '../signature/signing.ts'
import type { Webhooks } from '../webhook.ts'
import type { Dial } from './courier.ts'
import type { DeliveryCause } from './transition.ts'

export interface DeliveringDeps {
  readonly deliveries: Deliveries
  readonly webhooks: Webhooks
  readonly archive: Pick<Archive, 'get'>
  readonly signing: Signing
  readonly dial: Dial
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
  /** From 0 up to 1. */
  readonly random: () => number
}

export interface Delivering {
  /** Whoever makes or changes deliveries does it here, in the owner: so the couriers hear of it. */
  readonly store: WorkStore<DeliveryRecord, DeliveryCause>
  /** Delivers until the signal ends; of all replicas only the owner may. */
  run(signal: AbortSignal): Promise<void>
}

export function createDelivering(deps: DeliveringDeps): Delivering {
  throw new Error(`${deps.clock.now()}`)
}
