/**
 * Makes the deliveries of events. Of a batch a tenant gets so many at once; what is beyond is spilled, and worked off by
 * turns of tenants, so that a tenant with many endpoints and much to tell them delays nobody else's events. Both ways a
 * delivery has the same id, so it is there once whatever is done again.
 */

import { type Clock, everyInterval } from '@millhand/process'
import { settlesAfterMs } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import type { ArchivedEvent, ReadableArchive } from '../archived-event.ts'
import { callbackEndpoint, newDelivery, ranks } from '../delivery/new-delivery.ts'
import type { DeliveryRecord } from '../delivery.ts'
import { matches } from '../event-types.ts'
import { distinctTenants } from '../tenant-round-robin.ts'
import type { WebhookRecord, Webhooks } from '../webhook.ts'
import { maxWebhooks } from '../webhook.ts'
import type { Spill } from './overflow-event.ts'
import type { Callback } from './read-event.ts'

export interface FanOutDeps {
  readonly archive: Pick<ReadableArchive, 'get'>
  readonly webhooks: Pick<Webhooks, 'find' | 'count'>
  /** The rows, as whoever delivers has them: it hears of each new one. */
  readonly deliveries: { insert(delivery: DeliveryRecord, events: readonly []): Promise<boolean> }
  readonly spill: Spill
  readonly clock: Clock
  readonly log: Log
}

/** How many rows a tenant gets at once: a few for each of its events in the batch, and all that one can need. */
const shareOf = (events: number): number => Math.max(200, 2 * events)
/** About how many rows are written at once. */
const ROWS = 500
const LOOK_MS = 200

/** Stores the deliveries of events that have come, or that they are to be made. Resolves to whether there are any. */
export async function makeDeliveries(
  deps: FanOutDeps,
  taken: readonly IntakeEvent[],
  signal: AbortSignal,
): Promise<boolean> {
  const { webhooks, deliveries, spill } = deps
  const batch = [...Map.groupBy(taken, ({ event }) => event.tenant)]
  const enabled = await Promise.all(batch.map(([tenant]) => enabledWebhooks(webhooks, tenant)))

  let isAsked = false
  let writes: Promise<unknown>[] = []
  for (const [n, [tenant, events]] of batch.entries()) {
    let left = shareOf(events.length)
    for (const { event, callback } of events) {
      const rows = deliveriesOf({ event, callback }, enabled[n] ?? [])
      if (rows.length === 0) continue
      isAsked = true
      left -= rows.length
      const document = { tenant, id: event.id, ...(callback && { callback }) }
      if (left >= 0) writes.push(...rows.map(row => deliveries.insert(row, [])))
      else writes.push(spill.write({ kind: 'insert', document, events: [] }))
      if (writes.length < ROWS) continue
      await Promise.all(writes)
      signal.throwIfAborted()
      writes = []
    }
  }
  await Promise.all(writes)
  return isAsked
}

/**
 * Until the signal ends; of all replicas only the owner may. Never rejects: what fails is tried again, and holds up none
 * of another tenant.
 */
export async function drainSpill(deps: FanOutDeps, signal: AbortSignal): Promise<void> {
  const { spill, clock, log } = deps
  let isFailing = false
  const failed = (error: unknown) => {
    if (!isFailing) log.warn('intake.spill_failed', { error })
    isFailing = true
  }

  /** A turn for each tenant; how many went well. */
  async function round(): Promise<number> {
    let [done, failures] = [0, 0]
    for await (const tenant of distinctTenants(spill, 'primary')) {
      if (signal.aborted) break
      try {
        await turn(deps, tenant)
        done++
      } catch (error) {
        failed(error)
        failures++
      }
    }
    if (failures === 0) isFailing = false
    return done
  }

  await everyInterval(clock, LOOK_MS, signal, async () => {
    try {
      while ((await round()) > 0 && !signal.aborted);
    } catch (error) {
      failed(error)
    }
  })
}

/** The oldest of a tenant's, as many as make about so many rows. */
async function turn({ archive, webhooks, deliveries, spill }: FanOutDeps, tenant: string): Promise<void> {
  const enabled = await enabledWebhooks(webhooks, tenant)
  const page = await spill.find('primary', { equals: [tenant], limit: Math.ceil(ROWS / (enabled.length + 1)) })
  await Promise.all(
    page.map(async ({ id, version, callback }) => {
      const event = await archive.get(tenant, id)
      const rows = event ? deliveriesOf({ event, callback }, enabled) : []
      await Promise.all(rows.map(row => deliveries.insert(row, [])))
      await spill.write({ kind: 'remove', version, tenant, id, events: [] })
    }),
  )
}

/** Who asked for an event: the endpoints of its tenant, and the callback of its object. */
interface IntakeEvent {
  readonly event: ArchivedEvent
  readonly callback?: Callback | undefined
}

/**
 * Those of a tenant that may hear of something. Whoever reads them after an event has come finds every one that was made
 * before it happened, also where the log tells of the event before it tells of the endpoint.
 */
const enabledWebhooks = (webhooks: Pick<Webhooks, 'find'>, tenant: string): Promise<WebhookRecord[]> =>
  webhooks.find('by_status', { equals: [tenant, 'enabled'], limit: 2 * maxWebhooks })

/** The deliveries of an event, of which its tenant has these endpoints. */
function deliveriesOf({ event, callback }: IntakeEvent, enabled: readonly WebhookRecord[]): DeliveryRecord[] {
  const asking = enabled.filter(webhook => asksFor(webhook, event)).map(({ id }) => ({ endpoint: id }))
  const isCalled = callback !== undefined && isCalledBack(callback.events, event.type)
  const all = isCalled ? [...asking, calledBack(event, callback.url)] : asking
  return all.map(to => newDelivery(event, to, ranks.first))
}

/** What happened before an endpoint was made is none of its business, as far as two machines' clocks can tell. */
const asksFor = ({ events, created_at }: WebhookRecord, event: ArchivedEvent): boolean =>
  created_at - settlesAfterMs <= event.created_at && events.some(pattern => matches(pattern, event.type))

const isCalledBack = (events: readonly string[], type: string): boolean =>
  events.length === 0 ? ENDS.test(type) : events.some(pattern => matches(pattern, type))

const ENDS = /\.(succeeded|failed|cancelled|expired)$/

const calledBack = (event: ArchivedEvent, url: string) => ({
  endpoint: callbackEndpoint(event.tenant, url),
  callback_url: url,
})
