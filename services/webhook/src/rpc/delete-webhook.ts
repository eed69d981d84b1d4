import type { HandlerContext } from '@connectrpc/connect'
import type { DeleteWebhookRequest, WebhookDeletion } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { principal, requestIdKey } from '@millhand/rpc'
import { type WebhookRecord, webhookNotFound } from '../webhook.ts'
import type { WebhookDeps } from '../webhook-deps.ts'
import { webhookEvent } from '../webhook-events.ts'

/** Deletes an endpoint with its secrets. Answers the same when it is asked again within a day. */
export const deleteWebhook =
  ({ webhooks, clock, ids }: WebhookDeps) =>
  async ({ id }: DeleteWebhookRequest, call: HandlerContext): Promise<WebhookDeletion> => {
    const { tenant } = principal(call)
    for (;;) {
      const before = await webhooks.get(tenant, id)
      if (!before) throw webhookNotFound(id)
      if (before.status === 'deleted') return deletion(id)
      const now = clock.now()
      const after: WebhookRecord = {
        ...before,
        status: 'deleted',
        secret: '',
        previous_secret: undefined,
        previous_secret_expires_at: undefined,
        updated_at: now,
        deleted_at: now,
        resource_version: before.resource_version + 1,
      }
      const shown = { ...before, updated_at: now, resource_version: after.resource_version }
      const event = webhookEvent('webhook.deleted', shown, { ids, now, requestId: call.values.get(requestIdKey) })
      const { version } = before
      const result = await webhooks.write({ kind: 'replace', version, document: after, events: [event] })
      if (result.kind === 'written') return deletion(id)
    }
  }

const deletion = (id: string): WebhookDeletion => ({
  $typeName: 'millhand.webhook.v1.WebhookDeletion',
  id,
  deleted: true,
})
