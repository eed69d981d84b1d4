/** Identity: accounts, keys and their limits, on MongoDB, their events on Kafka. Any number of replicas; one is the owner. */
import { createCursors } from '@millhand/api'
import { type BootstrapKeys, createIdentityService, ensureFirstAccount, identityCollections } from '@millhand/identity'
import { loadPlans } from '@millhand/plans'
import { ConfigurationError, systemClock as clock, configuration, createHealth } from '@millhand/process'
import { deriveSecret } from '@millhand/rpc/network'
import { createStatusService } from '@millhand/status'
import { openMongo } from '@millhand/store/mongo'
import { bootstrapKeys, firstPlans } from '../config-parts.ts'
import { defineProcess } from '../process.ts'
import { pick, variables } from '../variables.ts'
import { untilItWorks } from './health-probe.ts'
import { ownCredentialsOf, signingVariables } from './own-credentials.ts'
import { replicatedConfig, replicatedProcess, replicatedVariables } from './replicated-process.ts'

const identityVariables = configuration(
  {
    ...signingVariables,
    ...replicatedVariables,
    ...pick(
      'MILLHAND_PLANS_FILE',
      'MILLHAND_BOOTSTRAP_KEY',
      'MILLHAND_BOOTSTRAP_TEST_KEY',
      'MILLHAND_BOOTSTRAP_PLANS',
      'MILLHAND_RETENTION_DAYS',
    ),
  },
  Object.keys(variables),
)

export const identity = defineProcess(identityVariables, config, async (config, runner, log) => {
  const plans = loadPlans(config.plansFile, log)
  const { bootstrap } = config
  const first = bootstrap && { keys: bootstrap, plans: firstPlans(config.bootstrapPlans, plans) }
  const health = createHealth()
  const db = runner.own(openMongo({ url: config.mongoUrl, log }), 'store')
  const owned = replicatedProcess('identity', { config, db, health, runner, log })
  const collections = identityCollections(db)
  const service = createIdentityService({
    ...collections,
    plans,
    cursors: createCursors(config.cursorKey),
    keySecret: config.keySecret,
    clock,
    log,
    replicas: owned.replicas(),
  })
  const status = createStatusService({ db, clock, log })
  runner.run('status', signal => status.run(signal))
  return await owned.start({
    routes(router) {
      service.routes(router)
      status.routes(router)
    },
    async work(owning) {
      // Its own outboxes alone: a relay looks at the collections that this process has asked for.
      await Promise.all([service.run(owning), db.relay({ publish: batch => owned.events.publish(batch) }, owning)])
    },
    async prepare(signal) {
      await db.prepare(signal)
      if (first) await untilItWorks(() => ensureFirstAccount({ ...collections, clock }, first), signal, log)
    },
  })
})

function config(set: ReturnType<typeof identityVariables>) {
  const caller = ownCredentialsOf('identity', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  return {
    ...replicatedConfig(set, caller.tls),
    caller,
    cursorKey: deriveSecret(secret, 'cursors'),
    keySecret: deriveSecret(secret, 'api keys'),
    plansFile: set.MILLHAND_PLANS_FILE,
    bootstrap: bootstrapOf(set),
    bootstrapPlans: set.MILLHAND_BOOTSTRAP_PLANS,
  }
}

/** Without them an operator makes the first account: `pnpm millhand accounts create`. */
function bootstrapOf(set: Parameters<typeof bootstrapKeys>[0]): BootstrapKeys | undefined {
  const { live, test } = bootstrapKeys(set)
  if (live !== undefined && test !== undefined) return { live, test }
  if (live === undefined && test === undefined) return undefined
  throw new ConfigurationError(['MILLHAND_BOOTSTRAP_KEY and MILLHAND_BOOTSTRAP_TEST_KEY must be set together.'])
}
