/** What tries say of an endpoint: since when it fails, and when it is given up. */
import type { Ids } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Attempt } from '../delivery.ts'
import type { WebhookRecord, Webhooks } from '../webhook.ts'
import { webhookEvent } from '../webhook-events.ts'

/** How a try went. */
export type Outcome = 'delivered' | 'failed' | 'gone'

/** The endpoint is gone, and says so. RFC 9110, section 15.5.11. */
const GONE = 410
const HOUR_MS = 3_600_000
const GIVEN_UP_AFTER_MS = 5 * 24 * HOUR_MS
/** Where nothing failed for so long nothing was tried, for no wait is longer than a day. */
const TRIED_WITHIN_MS = 2 * 24 * HOUR_MS

/** Keeps what a try says of the endpoint as it was read before; a success only where it failed before. */
export async function recordHealth(
  { webhooks, clock, ids }: { readonly webhooks: Webhooks; readonly clock: Clock; readonly ids: Ids },
  tried: WebhookRecord,
  outcome: Outcome,
): Promise<void> {
  let before: WebhookRecord | undefined = tried
  while (before?.url === tried.url) {
    const now = clock.now()
    const after = afterTry(before, outcome, now)
    if (!after) return
    const events = after.status === 'disabled' ? [webhookEvent('webhook.disabled', after, { ids, now })] : []
    const result = await webhooks.write({ kind: 'replace', version: before.version, document: after, events })
    if (result.kind === 'written') return
    before = await webhooks.get(tried.tenant, tried.id)
  }
}

/** The endpoint after a try; undefined where that changes nothing. Pure. */
export function afterTry(webhook: WebhookRecord, outcome: Outcome, now: number): WebhookRecord | undefined {
  if (webhook.status !== 'enabled') return undefined
  const { failing_since, failed_at = 0 } = webhook
  switch (outcome) {
    case 'delivered':
      if (failing_since === undefined) return undefined
      return { ...changed(webhook), failing_since: undefined, failed_at: undefined }
    case 'gone':
      return { ...disabled(webhook, now), disabled_reason: 'gone' }
    case 'failed': {
      const thisHour = now - (now % HOUR_MS)
      if (failing_since === undefined || now - failed_at > TRIED_WITHIN_MS) {
        return { ...changed(webhook), failing_since: now, failed_at: thisHour }
      }
      if (now - failing_since >= GIVEN_UP_AFTER_MS) return { ...disabled(webhook, now), disabled_reason: 'failing' }
      return failed_at === thisHour ? undefined : { ...webhook, failed_at: thisHour } // Which nobody is shown.
    }
  }
}

/** Whether the answer to a try says that the endpoint is gone. */
export const isGone = ({ status }: Attempt): boolean => status === GONE

const changed = (webhook: WebhookRecord): WebhookRecord => ({
  ...webhook,
  resource_version: webhook.resource_version + 1,
})

const disabled = (webhook: WebhookRecord, now: number): WebhookRecord => ({
  ...changed(webhook),
  status: 'disabled',
  disabled_at: now,
  updated_at: now,
})
