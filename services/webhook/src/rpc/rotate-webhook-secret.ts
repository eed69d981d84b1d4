import type { HandlerContext } from '@connectrpc/connect'
import type { RotateWebhookSecretRequest, Webhook } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { principal, requestIdKey } from '@millhand/rpc'
import { shownSecret } from '../secret/secret.ts'
import { isMadeBy, openSecret, rotatedSecret } from '../secret/stored-secret.ts'
import { requireWebhook, type WebhookRecord } from '../webhook.ts'
import type { WebhookDeps } from '../webhook-deps.ts'
import { webhookEvent } from '../webhook-events.ts'
import { webhookMessage } from '../webhook-message.ts'
import { makerOf } from './secret-maker.ts'

/** Gives an endpoint another secret, which this answer shows; a second call of the same operation shows it again. */
export const rotateWebhookSecret =
  ({ webhooks, sealer, clock, ids }: WebhookDeps) =>
  async ({ id }: RotateWebhookSecretRequest, call: HandlerContext): Promise<Webhook> => {
    const { tenant } = principal(call)
    const maker = makerOf(call)
    const answer = (webhook: WebhookRecord) =>
      webhookMessage(webhook, clock.now(), shownSecret(openSecret(sealer, webhook)))
    for (;;) {
      const before = await requireWebhook(webhooks, tenant, id)
      if (isMadeBy(before, maker)) return answer(before)
      const now = clock.now()
      const after: WebhookRecord = {
        ...before,
        ...rotatedSecret(sealer, before, before.signature, maker, now),
        updated_at: now,
        resource_version: before.resource_version + 1,
      }
      const event = webhookEvent('webhook.secret_rotated', after, {
        ids,
        now,
        requestId: call.values.get(requestIdKey),
      })
      const { version } = before
      const result = await webhooks.write({ kind: 'replace', version, document: after, events: [event] })
      if (result.kind === 'written') return answer(after)
    }
  }
