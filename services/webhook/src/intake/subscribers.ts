/** Who asked for an event: the endpoints of its tenant, and the callback of its object. */
import { settlesAfterMs } from '@millhand/store'
import type { ArchivedEvent } from '../archived-event.ts'
import { callbackEndpoint, newDelivery, ranks } from '../delivery/new-delivery.ts'
import type { DeliveryRecord } from '../delivery.ts'
import { matches } from '../event-types.ts'
import { maxWebhooks, type WebhookRecord, type Webhooks } from '../webhook.ts'
import type { Callback } from './read-event.ts'

export interface IntakeEvent {
  readonly event: ArchivedEvent
  readonly callback?: Callback | undefined
}

/**
 * Those of a tenant that may hear of something. Whoever reads them after an event has come finds every one that was made
 * before it happened, also where the log tells of the event before it tells of the endpoint.
 */
export const enabledWebhooks = (webhooks: Pick<Webhooks, 'find'>, tenant: string): Promise<WebhookRecord[]> =>
  webhooks.find('by_status', { equals: [tenant, 'enabled'], limit: 2 * maxWebhooks })

/** The deliveries of an event, of which its tenant has these endpoints. */
export function deliveriesOf({ event, callback }: IntakeEvent, enabled: readonly WebhookRecord[]): DeliveryRecord[] {
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
