/** Webhooks: endpoints, what is delivered to them, and the archive of events. docs/decisions/webhooks.md */
import { type Cursors, createIds, type Ids } from '@millhand/api'
import { WebhookService } from '@millhand/api/gen/millhand/webhook/v1/webhook_service_pb.ts'
import type { Replicas } from '@millhand/lease'
import type { Routes } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import { type Database, sweep } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { getCallbackSecret, rotateCallbackSecret } from './rpc/callback-secret.ts'
import { createWebhook } from './rpc/create-webhook.ts'
import { deleteWebhook } from './rpc/delete-webhook.ts'
import { getWebhook, listWebhooks } from './rpc/read-webhooks.ts'
import { rotateWebhookSecret } from './rpc/rotate-webhook-secret.ts'
import { updateWebhook } from './rpc/update-webhook.ts'
import { type CallbackSecrets, callbackSecretsSpec, createCallbackSecrets } from './secret/callback-secret.ts'
import { createSealing, type Sealing } from './secret/sealing.ts'
import { createSigning, type Signing } from './signature/signing.ts'
import type { TargetFault } from './target.ts'
import { type Webhooks, webhooksSpec } from './webhook.ts'

export interface WebhookOptions {
  readonly db: Database
  readonly targetFault: TargetFault
  readonly cursors: Cursors
  /** 32 bytes, the same for all replicas: secrets are sealed with it. */
  readonly sealingKey: Uint8Array
  readonly clock: Clock
  readonly log: Log
  readonly replicas: Replicas
  /** From 0 up to 1. */
  readonly random?: () => number
}

/** What the methods work with. */
export interface WebhookDeps {
  readonly webhooks: Webhooks
  readonly sealing: Sealing
  readonly callbackSecrets: CallbackSecrets
  readonly signing: Signing
  readonly targetFault: TargetFault
  readonly cursors: Cursors
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
}

/** How long a deleted endpoint is remembered. */
const REMEMBERED_MS = 86_400_000
const SWEEP_EVERY_MS = 3_600_000

export function createWebhookService(options: WebhookOptions) {
  const { db, targetFault, cursors, clock, log } = options
  const webhooks: Webhooks = db.collection(webhooksSpec)
  const sealing = createSealing(options.sealingKey)
  const callbackSecrets = createCallbackSecrets({ callbackSecrets: db.collection(callbackSecretsSpec), sealing, clock })
  const deps: WebhookDeps = {
    webhooks,
    sealing,
    callbackSecrets,
    signing: createSigning(sealing, callbackSecrets),
    targetFault,
    cursors,
    clock,
    log,
    ids: createIds({ now: () => clock.now() }),
  }

  return {
    routes(router: Routes): void {
      router.service(WebhookService, {
        createWebhook: createWebhook(deps),
        getWebhook: getWebhook(deps),
        listWebhooks: listWebhooks(deps),
        updateWebhook: updateWebhook(deps),
        deleteWebhook: deleteWebhook(deps),
        rotateWebhookSecret: rotateWebhookSecret(deps),
        getCallbackSecret: getCallbackSecret(deps),
        rotateCallbackSecret: rotateCallbackSecret(deps),
      })
    },
    /** What the owner does until the signal ends. */
    async run(signal: AbortSignal): Promise<void> {
      await sweep(
        {
          name: webhooksSpec.name,
          collection: webhooks,
          index: 'deleted',
          range: () => ({ equals: [], before: [clock.now() - REMEMBERED_MS] }),
          everyMs: SWEEP_EVERY_MS,
          clock,
          log,
        },
        signal,
      )
    },
  }
}
