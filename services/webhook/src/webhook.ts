/** An endpoint as the service stores it. REST shows the part that `webhook-message.ts` picks. */
import { fail, type KeyMode } from '@millhand/api'
import type { Collection, CollectionSpec, Document } from '@millhand/store'
import type { Signature } from './secret/secret.ts'
import type { StoredSecret } from './secret/stored-secret.ts'

/** Times are milliseconds since 1970. */
export interface WebhookRecord extends Document, StoredSecret {
  readonly account_id: string
  readonly mode: KeyMode
  readonly url: string
  /** Types of events, `task.*`, `*`. */
  readonly events: readonly string[]
  readonly description?: string | undefined
  readonly signature: Signature
  readonly metadata: Readonly<Record<string, string>>
  /** A deleted one is there for a day, so that deleting it again, or making it again, is answered as it must be. */
  readonly status: 'enabled' | 'disabled' | 'deleted'
  readonly disabled_reason?: 'requested' | 'failing' | 'gone' | undefined
  readonly disabled_at?: number | undefined
  /** Of the first failure since the last success. */
  readonly failing_since?: number | undefined
  /** Of a failure since then, to the hour: a gap of two days begins the count anew. */
  readonly failed_at?: number | undefined
  readonly created_at: number
  readonly updated_at: number
  readonly deleted_at?: number | undefined
  readonly resource_version: number
}

export const webhooksSpec = {
  name: 'webhooks',
  indexes: {
    by_status: { fields: ['tenant', 'status', 'id'] },
    /** Why those are disabled that are, over all tenants. */
    disabled: { fields: ['disabled_reason'], when: { field: 'status', in: ['disabled'] } },
    deleted: { fields: ['deleted_at'], when: { field: 'status', in: ['deleted'] } },
  },
  refusedWhenFull: true,
} as const satisfies CollectionSpec

export type Webhooks = Collection<WebhookRecord, keyof typeof webhooksSpec.indexes>

/** How many endpoints a tenant may have. */
export const maxWebhooks = 100

/** One that is there for callers. Fails with `not_found`. */
export async function requireWebhook(webhooks: Webhooks, tenant: string, id: string): Promise<WebhookRecord> {
  const webhook = await webhooks.get(tenant, id)
  if (webhook === undefined || webhook.status === 'deleted') throw webhookNotFound(id)
  return webhook
}

export const webhookNotFound = (id: string) => fail('not_found', `There is no webhook \`${id.slice(0, 64)}\`.`)
