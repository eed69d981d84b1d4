/** An endpoint as the service stores it. REST shows the part that `webhook-message.ts` picks. */
import type { KeyMode } from '@millhand/api'
import type { Collection, CollectionSpec, Document } from '@millhand/store'

export type Signature = 'v1' | 'v1a'

/** Times are milliseconds since 1970. */
export interface WebhookRecord extends Document {
  readonly account_id: string
  readonly mode: KeyMode
  readonly url: string
  /** Types of events, `task.*`, `*`. */
  readonly events: readonly string[]
  readonly description?: string | undefined
  readonly signature: Signature
  readonly metadata: Readonly<Record<string, string>>
  readonly status: 'enabled' | 'disabled'
  readonly disabled_reason?: 'requested' | 'failing' | 'gone' | undefined
  readonly disabled_at?: number | undefined
  /** Of the first failure since the last success. */
  readonly failing_since?: number | undefined
  /** Of a failure since then, to the hour: a gap of two days begins the count anew. */
  readonly failed_at?: number | undefined
  /** What deliveries are signed with, sealed. */
  readonly secret: string
  readonly previous_secret?: string | undefined
  readonly previous_secret_expires_at?: number | undefined
  readonly created_at: number
  readonly updated_at: number
  readonly resource_version: number
}

export const webhooksSpec = {
  name: 'webhooks',
  indexes: { by_status: { fields: ['tenant', 'status', 'id'] } },
} as const satisfies CollectionSpec

export type Webhooks = Collection<WebhookRecord, keyof typeof webhooksSpec.indexes>

/** How many endpoints a tenant may have. */
export const mostWebhooks = 100
