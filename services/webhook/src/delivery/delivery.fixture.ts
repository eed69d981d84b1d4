/** Deliveries to make tests with. */
import { createIds } from '@millhand/api'
import type { ArchivedEvent } from '../archived-event.ts'
import type { DeliveryRecord } from '../delivery.ts'
import type { WebhookRecord } from '../webhook.ts'
import { newDelivery, ranks } from './new-delivery.ts'

export const noon = Date.UTC(2026, 10, 22, 12)

/** Events of one second, the oldest first. */
export function someEvents(count: number, tenant = 'acct_1/live', now = noon): ArchivedEvent[] {
  const ids = createIds({ now: () => now })
  return Array.from({ length: count }, (_, n) => {
    const id = ids('evt')
    const [account_id, mode] = tenant.split('/')
    const created_at = new Date(now).toISOString()
    const said = { id, object: 'event', type: 'task.succeeded', created_at, account_id, mode, data: { object: { n } } }
    return {
      tenant,
      id,
      version: 1,
      type: 'task.succeeded',
      resource_id: `task_${n}`,
      created_at: now,
      arrived: now * 1000 + n,
      value: JSON.stringify(said),
    }
  })
}

export const aWebhook = (id: string, more: Partial<WebhookRecord> = {}): WebhookRecord => ({
  tenant: 'acct_1/live',
  id,
  version: 1,
  account_id: 'acct_1',
  mode: 'live',
  url: `https://${id.replaceAll('_', '-')}.example/hook`,
  events: ['*'],
  signature: 'v1',
  metadata: {},
  status: 'enabled',
  secret: 'sealed',
  secret_made_by: 'key_1',
  created_at: noon,
  updated_at: noon,
  resource_version: 1,
  ...more,
})

export function aDelivery(more: Partial<DeliveryRecord> = {}): DeliveryRecord {
  const [event] = someEvents(1) as [ArchivedEvent]
  return { ...newDelivery(event, { endpoint: 'wh_1' }, ranks.first), ...more }
}
