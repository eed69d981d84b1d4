/** Signs what is posted, with the secrets that are good at the time. */
import type { KeyObject } from 'node:crypto'
import type { SecretCipher } from '@millhand/api'
import type { CallbackSecrets } from '../secret/callback-secret.ts'
import { createKeyring } from '../secret/keyring.ts'
import type { WebhookRecord } from '../webhook.ts'
import { type Message, signatureHeader } from './webhook-signature.ts'

/** What a post carries beside its body. */
export interface SignedHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/** Both fail with `SecretUnreadable` (`libs/api/src/secret-cipher.ts`) where what is stored can't be unsealed: no later try can. */
export interface Signer {
  /** `now` is in milliseconds since 1970. */
  signWebhook(webhook: WebhookRecord, message: Message, now: number): SignedHeaders
  /** With the tenant's callback secret, which is made where there is none yet. */
  signCallback(tenant: string, message: Message, now: number): Promise<SignedHeaders>
}

export function createSigner(sealer: SecretCipher, callbackSecrets: Pick<CallbackSecrets, 'get'>): Signer {
  const keyring = createKeyring(sealer)
  return {
    signWebhook: (webhook, message, now) => signed(keyring.active(webhook, now), message, now),
    async signCallback(tenant, message, now) {
      return signed(keyring.active(await callbackSecrets.get(tenant), now), message, now)
    },
  }
}

function signed(keys: readonly KeyObject[], message: Message, now: number): SignedHeaders {
  const timestamp = Math.floor(now / 1000)
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureHeader(keys, message, timestamp),
  }
}
