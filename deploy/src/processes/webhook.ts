/** Webhook: endpoints and deliveries on MongoDB, events from Kafka. Any number of replicas; one of them reads and delivers. */
import { createCursors } from '@millhand/api'
import { createDialer, createResolver } from '@millhand/dial'
import { systemClock as clock, configuration, createHealth } from '@millhand/process'
import { deriveSecret } from '@millhand/rpc/network'
import { openMongo } from '@millhand/store/mongo'
import { processMetrics } from '@millhand/telemetry'
import { createWebhookService } from '@millhand/webhook'
import { defineProcess } from '../process.ts'
import { urlVariablesOf } from '../service-urls.ts'
import { pick, variables } from '../variables.ts'
import { webhookTargets } from '../webhook-targets.ts'
import { ownCredentialsOf, signingVariables } from './own-credentials.ts'
import { replicatedConfig, replicatedProcess, replicatedVariables } from './replicated-process.ts'
import { addressesOf, connectServices } from './service-clients.ts'

const webhookVariables = configuration(
  {
    ...signingVariables,
    ...replicatedVariables,
    ...urlVariablesOf('webhook'),
    ...pick('MILLHAND_RETENTION_DAYS', 'MILLHAND_WEBHOOK_ALLOW'),
  },
  Object.keys(variables),
)

export const webhook = defineProcess(webhookVariables, config, async (config, runner, log) => {
  const health = createHealth()
  const { caller } = config
  const { identity } = connectServices('webhook', config.addresses, { caller, runner, log, health })
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
    identity,
    routes: service.routes,
    async work(owning) {
      await Promise.all([service.run(owning), db.relay({ publish: batch => owned.events.publish(batch) }, owning)])
    },
  })
})

function config(set: ReturnType<typeof webhookVariables>) {
  const caller = ownCredentialsOf('webhook', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  return {
    ...replicatedConfig(set, caller.tls),
    caller,
    addresses: addressesOf('webhook', set, caller.tls),
    cursorKey: deriveSecret(secret, 'cursors'),
    sealingKey: deriveSecret(secret, 'webhook secrets'),
    targets: webhookTargets(set.MILLHAND_WEBHOOK_ALLOW),
  }
}
