/** Webhook: endpoints and deliveries on MongoDB, events from Kafka. Any number of replicas; one of them reads and delivers. */
import { createCursors } from '@millhand/api'
import { createDialer, createResolver } from '@millhand/dial'
import { systemClock as clock, configuration, createHealth } from '@millhand/process'
import { deriveSecret } from '@millhand/rpc/network'
import { openMongo } from '@millhand/store/mongo'
import { processMetrics } from '@millhand/telemetry'
import { createWebhookService } from '@millhand/webhook'
import { defineProcess } from '../process.ts'
import { pick, variables } from '../variables.ts'
import { webhookTargets } from '../webhook-targets.ts'
import { signingVariables, tlsOf } from './own-credentials.ts'
import { replicatedConfig, replicatedProcess, replicatedVariables } from './replicated-process.ts'

const webhookVariables = configuration(
  {
    MILLHAND_SECRET_KEY: signingVariables.MILLHAND_SECRET_KEY,
    ...replicatedVariables,
    ...pick('MILLHAND_RETENTION_DAYS', 'MILLHAND_WEBHOOK_ALLOW'),
  },
  Object.keys(variables),
)

export const webhook = defineProcess(webhookVariables, config, async (config, runner, log) => {
  const health = createHealth()
  health.set('store', false, 'not connected')
  const db = runner.own(openMongo({ url: config.mongoUrl, log }), 'store')
  const owned = replicatedProcess('webhook', { config, db, health, runner, log })
  const resolver = runner.own(createResolver({ clock }), 'resolver')
  const { allow, targetFault } = config.targets
  const service = createWebhookService({
    db,
    events: owned.events,
    dial: runner.own(createDialer({ allow, resolver, clock }), 'dialer'),
    targetFault,
    cursors: createCursors(config.cursorKey),
    sealingKey: config.sealingKey,
    clock,
    log,
    metrics: processMetrics,
    isOwner: () => owned.owner() === 'here',
  })
  return await owned.start({
    routes: service.routes,
    async work(owning) {
      await Promise.all([service.run(owning), db.relay({ publish: batch => owned.events.publish(batch) }, owning)])
    },
  })
})

function config(set: ReturnType<typeof webhookVariables>) {
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  return {
    ...replicatedConfig(set, tlsOf(set)),
    cursorKey: deriveSecret(secret, 'cursors'),
    sealingKey: deriveSecret(secret, 'webhook secrets'),
    targets: webhookTargets(set.MILLHAND_WEBHOOK_ALLOW),
  }
}
