/** Workforce: employees' tasks on MongoDB, events to Kafka. Any number of replicas; one of them owns the queues. */
import { createClient } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { gridfsBlobs } from '@millhand/blob/gridfs'
import { readCatalogue } from '@millhand/employees/catalogue'
import { loadPlans } from '@millhand/plans'
import { systemClock as clock, configuration, createHealth } from '@millhand/process'
import { deriveSecret } from '@millhand/rpc/network'
import { openMongo } from '@millhand/store/mongo'
import { createWorkforceService, tasksSpec } from '@millhand/workforce'
import { offeredOf, offeredVariables } from '../engines.ts'
import { defineProcess } from '../process.ts'
import { urlVariablesOf } from '../service-urls.ts'
import { pick, variables } from '../variables.ts'
import { webhookTargets } from '../webhook-targets.ts'
import { ownCredentialsOf, signingVariables } from './own-credentials.ts'
import { replicatedConfig, replicatedProcess, replicatedVariables } from './replicated-process.ts'
import { relayOutbox } from './run-outbox-relay.ts'
import { addressesOf, connectServices } from './service-clients.ts'

const workforceVariables = configuration(
  {
    ...signingVariables,
    ...replicatedVariables,
    ...urlVariablesOf('workforce'),
    ...pick('MILLHAND_PLANS_FILE', 'MILLHAND_RETENTION_DAYS', 'MILLHAND_WEBHOOK_ALLOW', ...offeredVariables),
  },
  Object.keys(variables),
)

export const workforce = defineProcess(workforceVariables, config, async (config, runner, log) => {
  const health = createHealth()
  const { caller } = config
  const connections = connectServices('workforce', config.addresses, { caller, runner, log, health })
  const db = runner.own(
    openMongo({ url: config.mongoUrl, log, onOutbox: refs => void service.tellOwner(refs) }),
    'store',
  )
  const blobs = runner.own(gridfsBlobs({ url: config.mongoUrl, clock }), 'blobs')
  const owned = replicatedProcess('workforce', { config, db, health, runner, log })
  const service = createWorkforceService({
    employees: readCatalogue(),
    db,
    blobs,
    files: createClient(FileService, connections.compute),
    taskFiles: createClient(TaskFileService, connections.compute),
    quota: createClient(QuotaService, connections.identity),
    usage: createClient(WorkforceUsageService, connections.billing),
    plans: loadPlans(config.plansFile, log),
    targetFault: config.targetFault,
    cursors: createCursors(config.cursorKey),
    streamTokenSecret: config.streamTokenSecret,
    clock,
    log,
    replicas: owned.replicas(),
    onRing: documents => db.ring(documents),
    retentionMs: config.retentionMs,
    ...config.offered,
  })
  return await owned.start({
    identity: connections.identity,
    routes(router) {
      service.routes(router)
      service.ownRoutes(router)
    },
    async work(owning) {
      const { events } = owned
      await Promise.all([service.run(owning), relayOutbox(service, { db, events, tasks: tasksSpec.name }, owning)])
    },
  })
})

function config(set: ReturnType<typeof workforceVariables>) {
  const caller = ownCredentialsOf('workforce', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  return {
    ...replicatedConfig(set, caller.tls),
    caller,
    cursorKey: deriveSecret(secret, 'cursors'),
    streamTokenSecret: deriveSecret(secret, 'workforce stream-tokens'),
    addresses: addressesOf('workforce', set, caller.tls),
    plansFile: set.MILLHAND_PLANS_FILE,
    targetFault: webhookTargets(set.MILLHAND_WEBHOOK_ALLOW).targetFault,
    offered: offeredOf(set),
  }
}
