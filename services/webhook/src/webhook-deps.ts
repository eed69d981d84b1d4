import type { Cursors, Ids } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { CallbackSecrets } from './secret/callback-secret.ts'
import type { Sealer } from './secret/sealer.ts'
import type { TargetFault } from './target.ts'
import type { Webhooks } from './webhook.ts'

/** The dependencies of the methods of endpoints. */
export interface WebhookDeps {
  readonly webhooks: Webhooks
  readonly sealer: Sealer
  readonly callbackSecrets: CallbackSecrets
  readonly targetFault: TargetFault
  readonly cursors: Cursors
  readonly clock: Clock
  readonly ids: Ids
}
