/** Hands deliveries to a deliverer for each mode. */
import type { Ids, KeyMode } from '@millhand/api'
import { createWorkStore, type WorkStore } from '@millhand/lease'
import type { Clock } from '@millhand/process'
import type { Query } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { createArrivalClock } from '../archive/arrival-clock.ts'
import { storeInOrder } from '../archive/ordered-writes.ts'
import type { Deliveries, DeliveryRecord } from '../delivery.ts'
import type { Webhooks } from '../webhook.ts'
import type { AttemptDeps } from './attempt.ts'
import { Deliverer } from './deliverer.ts'
import { type DeliveryCause, deliveryTransition } from './transition.ts'

export interface DispatcherDeps extends AttemptDeps {
  readonly deliveries: Deliveries
  readonly webhooks: Webhooks
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
  /** From 0 up to 1. */
  readonly random: () => number
  /** Hears what came of each delivery that was taken up, as it was before, once that is written. */
  readonly onTried: (delivery: DeliveryRecord, cause: DeliveryCause, traceparent: string | undefined) => void
}

export interface Dispatcher {
  /** Where deliveries are made and changed. Only the owner makes any that are `queued`: its deliverers hear of them here. */
  readonly store: WorkStore<DeliveryRecord, DeliveryCause>
  /** Delivers until the signal ends; of all replicas only the owner may. */
  run(signal: AbortSignal): Promise<void>
}

/** How many endpoints are read in one go. */
const PAGE = 250
/** How many posts are under way at once. */
const atOnce: Readonly<Record<KeyMode, number>> = { live: 384, test: 128 }

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { deliveries, webhooks, clock, log, random } = deps
  const changed = (before: DeliveryRecord | undefined, after: DeliveryRecord) =>
    deliverers[after.mode].changed(before, after)
  const store = createWorkStore<DeliveryRecord, DeliveryCause>({
    collection: deliveries,
    machine: { transition: deliveryTransition({ random }), events: () => [] },
    clock,
    onChanged: changed,
  })
  const inOrder = { collection: deliveries, arrivalClock: createArrivalClock(clock), clock }
  const open = (mode: KeyMode) => new Deliverer({ ...deps, store }, mode, atOnce[mode])
  const deliverers = { live: open('live'), test: open('test') }

  /** So that those that failed before do not come first as what nothing is known of, and keep the others waiting. */
  const learnFailing = async (signal: AbortSignal) => {
    try {
      for (let after: Query['after']; !signal.aborted; ) {
        const page = await webhooks.find('primary', { equals: [], limit: PAGE, ...(after && { after }) })
        for (const { id, mode, failing_since } of page) if (failing_since !== undefined) deliverers[mode].failing(id)
        const last = page.at(-1)
        if (!last || page.length < PAGE) return
        after = [last.tenant, last.id]
      }
    } catch (error) {
      log.error('webhook.health_not_read', { error })
    }
  }

  return {
    store: {
      ...store,
      async insert(delivery, events) {
        const draft = { ...delivery, ready_at: clock.now() }
        const { isNew, there } = await storeInOrder(inOrder, draft, made => store.insert(made, events))
        // Made before, perhaps by an owner of before, after we had looked: so nobody here may know of it.
        if (there && !isNew) changed(undefined, there)
        return isNew
      },
    },
    async run(signal) {
      await learnFailing(signal)
      await Promise.all([deliverers.live.run(signal), deliverers.test.run(signal)])
    },
  }
}
