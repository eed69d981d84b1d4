import { isDeepStrictEqual } from 'node:util'
import type { HandlerContext } from '@connectrpc/connect'
import { failFaults, failIf } from '@millhand/api'
import {
  type UpdateWebhookRequest,
  type Webhook,
  WebhookStatus,
} from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { principal, requestIdKey } from '@millhand/rpc'
import { urlFaults } from '../endpoint-url.ts'
import { requireReadable } from '../event-scopes.ts'
import { matches, typeFaults } from '../event-types.ts'
import { requireWebhook, type WebhookRecord } from '../webhook.ts'
import type { WebhookDeps } from '../webhook-deps.ts'
import { webhookEvent } from '../webhook-events.ts'
import { webhookMessage } from '../webhook-message.ts'

/** Changes an endpoint. What changes nothing makes no version, and nobody is told. */
export const updateWebhook =
  (deps: WebhookDeps) =>
  async (req: UpdateWebhookRequest, call: HandlerContext): Promise<Webhook> => {
    const { webhooks, clock, ids } = deps
    const { tenant, mode, scopes } = principal(call)
    failIf([...urlFaults(deps, req.url, mode), ...typeFaults('events', req.events)])
    for (;;) {
      const before = await requireWebhook(webhooks, tenant, req.id)
      const now = clock.now()
      const asked = changed(before, req, now)
      if (isDeepStrictEqual(asked, before)) return webhookMessage(before, now)
      requireReadable(newlyTold(before, asked), scopes)
      const after: WebhookRecord = { ...asked, updated_at: now, resource_version: before.resource_version + 1 }
      const event = webhookEvent(eventType(before, after), after, {
        ids,
        now,
        requestId: call.values.get(requestIdKey),
      })
      const { version } = before
      const result = await webhooks.write({ kind: 'replace', version, document: after, events: [event] })
      if (result.kind === 'written') return webhookMessage(after, now)
    }
  }

function changed(before: WebhookRecord, req: UpdateWebhookRequest, now: number): WebhookRecord {
  const after: WebhookRecord = {
    ...before,
    url: req.url ?? before.url,
    events: req.events.length > 0 ? req.events : before.events,
    ...(req.description !== undefined && { description: req.description }),
    metadata: merged(before.metadata, req.metadata),
  }
  switch (req.status) {
    case WebhookStatus.ENABLED:
      if (before.status !== 'enabled') return { ...after, ...healthy, status: 'enabled' }
      break
    case WebhookStatus.DISABLED:
      if (before.status !== 'disabled') {
        return { ...after, status: 'disabled', disabled_reason: 'requested', disabled_at: now }
      }
      break
    default:
  }
  // What failed was the other address.
  return after.url === before.url ? after : { ...after, failing_since: undefined, failed_at: undefined }
}

/** What is told to an address that was not told it before: all of it where the address is another. */
const newlyTold = (before: WebhookRecord, { url, events }: WebhookRecord): readonly string[] =>
  url === before.url ? events.filter(asked => !before.events.some(known => matches(known, asked))) : events

/** Whoever enables it says that it works: days begin to count anew. */
const healthy = {
  disabled_reason: undefined,
  disabled_at: undefined,
  failing_since: undefined,
  failed_at: undefined,
} as const

const eventType = (before: WebhookRecord, { status }: WebhookRecord) => {
  if (before.status === status) return 'webhook.updated'
  return status === 'enabled' ? 'webhook.enabled' : 'webhook.disabled'
}

/** Sets labels, takes away those that are empty. */
function merged(before: WebhookRecord['metadata'], asked: Record<string, string>): WebhookRecord['metadata'] {
  const labels = Object.entries({ ...before, ...asked }).filter(
    ([key, value]) => asked[key] === undefined || value !== '',
  )
  if (labels.length <= MAX_LABELS) return Object.fromEntries(labels)
  const message = `\`metadata\` must have at most ${MAX_LABELS} pairs, with those that are there already.`
  throw failFaults([{ param: 'metadata', code: 'too_many', message }])
}

/** As the contract bounds those of one request. */
const MAX_LABELS = 16
