/** Who asked for an event: the endpoints of its tenant, and the callback of its object. */
import { settlesAfterMs } from '@millhand/store'
import type { ArchivedEvent } from '../archived-event.ts'
import { callbackLine, newDelivery, ranks } from '../delivery/new-delivery.ts'
import type { DeliveryRecord } from '../delivery.ts'
import { matches } from '../event-types.ts'
import { mostWebhooks, type WebhookRecord, type Webhooks } from '../webhook.ts'
import type { ReadEvent } from './read-event.ts'

export interface Asked {
  readonly webhooks: Pick<Webhooks, 'find'>
  /** The rows, as whoever delivers has them: it hears of each new one. */
  readonly deliveries: { insert(delivery: DeliveryRecord, events: readonly []): Promise<boolean> }
}

export interface Taken {
  readonly event: ArchivedEvent
  readonly callback: ReadEvent['callback'] | undefined
}

/** How many rows are written at once: 500 events may be for 100 endpoints each. */
const ROWS = 1_000

/**
 * Stores the deliveries of events, those that are not there yet. Endpoints are read for each batch: one that was made
 * before an event happened is always found, also where the log tells of the event before it tells of the endpoint.
 */
export async function deliveriesOf(
  { webhooks, deliveries }: Asked,
  taken: readonly Taken[],
  signal: AbortSignal,
): Promise<void> {
  const tenants = [...new Set(taken.map(({ event }) => event.tenant))]
  const enabled = await Promise.all(
    tenants.map(tenant => webhooks.find('by_status', { equals: [tenant, 'enabled'], limit: 2 * mostWebhooks })),
  )
  const endpointsOf = new Map(tenants.map((tenant, n) => [tenant, enabled[n] ?? []]))

  let rows: Promise<boolean>[] = []
  for (const { event, callback } of taken) {
    const asking = (endpointsOf.get(event.tenant) ?? []).filter(webhook => asksFor(webhook, event))
    const targets = asking.map(({ id }) => ({ endpoint: id }))
    const all =
      callback && isCalledBack(callback.events, event.type) ? [...targets, calledBack(event, callback.url)] : targets
    for (const to of all) rows.push(deliveries.insert(newDelivery(event, to, ranks.first), []))
    if (rows.length < ROWS) continue
    await Promise.all(rows)
    signal.throwIfAborted()
    rows = []
  }
  await Promise.all(rows)
}

/** What happened before an endpoint was made is none of its business, as far as two machines' clocks can tell. */
const asksFor = ({ events, created_at }: WebhookRecord, event: ArchivedEvent): boolean =>
  created_at - settlesAfterMs <= event.created_at && events.some(pattern => matches(pattern, event.type))

const isCalledBack = (events: readonly string[], type: string): boolean =>
  events.length === 0 ? ENDS.test(type) : events.some(pattern => matches(pattern, type))

const ENDS = /\.(succeeded|failed|cancelled|expired)$/

const calledBack = (event: ArchivedEvent, url: string) => ({
  endpoint: callbackLine(event.tenant, url),
  callback_url: url,
})
