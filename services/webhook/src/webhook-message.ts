/** An endpoint as REST and events show it. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { modeOfWord } from '@millhand/api'
import {
  SignatureScheme,
  type Webhook,
  WebhookDisabledReason,
  WebhookStatus,
} from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import type { WebhookRecord } from './webhook.ts'

/** `secret` is what signatures are verified with: only where it is shown. */
export const webhookMessage = (webhook: WebhookRecord, now: number, secret?: string): Webhook => ({
  $typeName: 'millhand.webhook.v1.Webhook',
  id: webhook.id,
  url: webhook.url,
  events: [...webhook.events],
  signature: webhook.signature === 'v1a' ? SignatureScheme.V1A : SignatureScheme.V1,
  mode: modeOfWord(webhook.mode),
  status: webhook.status === 'enabled' ? WebhookStatus.ENABLED : WebhookStatus.DISABLED,
  metadata: { ...webhook.metadata },
  createdAt: timestampFromMs(webhook.created_at),
  updatedAt: timestampFromMs(webhook.updated_at),
  resourceVersion: webhook.resource_version,
  ...(webhook.description !== undefined && { description: webhook.description }),
  ...(webhook.disabled_reason !== undefined && { disabledReason: reasons[webhook.disabled_reason] }),
  ...(webhook.disabled_at !== undefined && { disabledAt: timestampFromMs(webhook.disabled_at) }),
  ...(webhook.failing_since !== undefined && { failingSince: timestampFromMs(webhook.failing_since) }),
  ...(secret !== undefined && { secret }),
  ...(webhook.previous_secret_expires_at !== undefined &&
    webhook.previous_secret_expires_at > now && {
      previousSecretExpiresAt: timestampFromMs(webhook.previous_secret_expires_at),
    }),
})

const reasons = {
  requested: WebhookDisabledReason.REQUESTED,
  failing: WebhookDisabledReason.FAILING,
  gone: WebhookDisabledReason.GONE,
} as const
