/** Compute: tasks on MongoDB, their events on Kafka. Any number of replicas; one of them owns the queues. */
import { createClient } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { ExecutorService } from '@millhand/api/gen/millhand/compute/v1/executor_service_pb.ts'
import { CapacityService } from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import { gridfsBlobs } from '@millhand/blob/gridfs'
import { tasksSpec } from '@millhand/compute'
import { computeOn } from '@millhand/compute/compute-on-database'
import { chooseSandbox } from '@millhand/executor'
import { loadCatalogue } from '@millhand/model'
import { loadPlans } from '@millhand/plans'
import { systemClock as clock, configuration, createHealth, everyInterval } from '@millhand/process'
import { deriveSecret } from '@millhand/rpc/network'
import { openMongo } from '@millhand/store/mongo'
import { MIB, modelFolders } from '../config-parts.ts'
import { createExecutorTokens } from '../executor-tokens.ts'
import { requireFolder } from '../folders.ts'
import { defineProcess } from '../process.ts'
import { urlVariablesOf } from '../service-urls.ts'
import { textGenerationOf } from '../text-generation.ts'
import { pick, variables } from '../variables.ts'
import { webhookTargets } from '../webhook-targets.ts'
import { ownCredentialsOf, signingVariables } from './own-credentials.ts'
import { replicatedConfig, replicatedProcess, replicatedVariables } from './replicated-process.ts'
import { relayOutbox } from './run-outbox-relay.ts'
import { addressesOf, connectServices } from './service-clients.ts'

const computeVariables = configuration(
  {
    ...signingVariables,
    ...replicatedVariables,
    ...urlVariablesOf('compute'),
    ...pick(
      'MILLHAND_MODELS_DIR',
      'MILLHAND_SANDBOX',
      'MILLHAND_TEXT_SLOTS',
      'MILLHAND_PLANS_FILE',
      'MILLHAND_RETENTION_DAYS',
      'MILLHAND_STORAGE_QUOTA_MB',
      'MILLHAND_WEBHOOK_ALLOW',
    ),
  },
  Object.keys(variables),
)

export const compute = defineProcess(computeVariables, config, async (config, runner, log) => {
  const plans = loadPlans(config.plansFile, log)
  await chooseSandbox(config.sandbox, log)
  for (const { path } of config.modelFolders) await requireFolder('MILLHAND_MODELS_DIR', path)
  const models = await loadCatalogue(config.modelFolders)
  const health = createHealth()
  const { caller } = config
  const connections = connectServices('compute', config.addresses, { caller, runner, log, health })
  const db = runner.own(
    openMongo({ url: config.mongoUrl, log, onOutbox: refs => void service.tellOwner(refs) }),
    'store',
  )
  const blobs = runner.own(gridfsBlobs({ url: config.mongoUrl, clock }), 'blobs')
  const capacity = createClient(CapacityService, connections.instance)
  const owned = replicatedProcess('compute', { config, db, health, runner, log })
  const { compute: service, files } = computeOn(db, {
    blobs,
    models,
    textGeneration: textGenerationOf(config.textSlots),
    plans,
    targetFault: config.targetFault,
    cursors: createCursors(config.cursorKey),
    streamTokenSecret: config.streamTokenSecret,
    clock,
    log,
    replicas: owned.replicas(),
    onRing: documents => db.ring(documents),
    retentionMs: config.retentionMs,
    quotaBytes: config.storageQuotaBytes,
    capacity,
    joining: { tokens: config.executorTokens, capacity },
  })
  runner.run('blobs', signal =>
    everyInterval(clock, HOUR_MS, signal, () =>
      blobs.sweep(signal).catch(error => log.error('blobs.sweep_failed', { error })),
    ),
  )
  return await owned.start({
    identity: connections.identity,
    trusted: [config.executorTokens.publicKey],
    openServices: [ExecutorService],
    routes(router) {
      service.routes(router)
      files.routes(router)
    },
    async work(owning) {
      const { events } = owned
      const relayed = relayOutbox(service, { db, events, tasks: tasksSpec.name }, owning)
      await Promise.all([service.run(owning), files.run(owning), relayed])
    },
  })
})

const HOUR_MS = 3_600_000

function config(set: ReturnType<typeof computeVariables>) {
  const caller = ownCredentialsOf('compute', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  return {
    ...replicatedConfig(set, caller.tls),
    caller,
    addresses: addressesOf('compute', set, caller.tls),
    cursorKey: deriveSecret(secret, 'cursors'),
    streamTokenSecret: deriveSecret(secret, 'stream-tokens'),
    executorTokens: createExecutorTokens(secret),
    modelFolders: modelFolders(set.MILLHAND_MODELS_DIR),
    sandbox: set.MILLHAND_SANDBOX,
    textSlots: set.MILLHAND_TEXT_SLOTS,
    plansFile: set.MILLHAND_PLANS_FILE,
    storageQuotaBytes: set.MILLHAND_STORAGE_QUOTA_MB * MIB,
    targetFault: webhookTargets(set.MILLHAND_WEBHOOK_ALLOW).targetFault,
  }
}
