/** Signs what is posted, with the secrets that are good at the time. */
import type { CallbackSecrets } from '../secret/callback-secret.ts'
import { goodSecrets } from '../secret/held-secret.ts'
import type { Sealing } from '../secret/sealing.ts'
import type { WebhookRecord } from '../webhook.ts'
import { type Message, signatureHeader } from './signature-header.ts'

/** What a post carries beside its body. */
export interface SignedHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/** Both fail with `SecretUnreadable` (`secret/sealing.ts`) where what is stored can't be unsealed: no later try can. */
export interface Signing {
  /** `now` is in milliseconds since 1970. */
  signWebhook(webhook: WebhookRecord, message: Message, now: number): SignedHeaders
  /** With the tenant's callback secret, which is made where there is none yet. */
  signCallback(tenant: string, message: Message, now: number): Promise<SignedHeaders>
}

export const createSigning = (sealing: Sealing, callbackSecrets: CallbackSecrets): Signing => ({
  signWebhook: (webhook, message, now) => signed(goodSecrets(sealing, webhook, now), message, now),
  async signCallback(tenant, message, now) {
    return signed(callbackSecrets.good(await callbackSecrets.get(tenant), now), message, now)
  },
})

function signed(secrets: readonly string[], message: Message, now: number): SignedHeaders {
  const timestamp = Math.floor(now / 1000)
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureHeader(secrets, message, timestamp),
  }
}
