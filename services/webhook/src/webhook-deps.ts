import type { Cursors, Ids, SecretCipher } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { TargetFault } from './endpoint-url.ts'
import type { CallbackSecrets } from './secret/callback-secret.ts'
import type { Webhooks } from './webhook.ts'

/** The dependencies of the methods of endpoints. */
export interface WebhookDeps {
  readonly webhooks: Webhooks
  readonly sealer: SecretCipher
  readonly callbackSecrets: CallbackSecrets
  readonly targetFault: TargetFault
  readonly cursors: Cursors
  readonly clock: Clock
  readonly ids: Ids
}
