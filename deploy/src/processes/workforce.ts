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
import { urlVariablesOf } from '../addresses.ts'
import { offeredOf, offeredVariables } from '../engines.ts'
import { defineProcess } from '../process.ts'
import { pick, variables } from '../variables.ts'
import { webhookTargets } from '../webhook-targets.ts'
import { addressesOf, reachCallees } from './between.ts'
import { callerOf, signingVariables } from './caller.ts'
import { ownedConfig, ownedProcess, ownedVariables } from './owned-process.ts'
import { relayTasks } from './relay-tasks.ts'
import { watchToken } from './watch-token.ts'

const workforceVariables = configuration(
  {
    ...signingVariables,
    ...ownedVariables,
    ...urlVariablesOf('workforce'),
    ...pick(
      'MILLHAND_PLANS_FILE',
      'MILLHAND_RETENTION_DAYS',
      'MILLHAND_WEBHOOK_ALLOW',
      'MILLHAND_CPU_SECOND_MICROS',
      ...offeredVariables,
    ),
  },
  Object.keys(variables),
)

export const workforce = defineProcess(workforceVariables, config, async (config, runner, log) => {
  const health = createHealth()
  health.set('store', false, 'not connected')
  runner.run('token', signal => watchToken(config.caller.expiresAt, { clock, log, health }, signal))
  const { caller } = config
  const ways = reachCallees('workforce', config.addresses, {
    caller,
    runner,
    log,
    health,
    optionalHealth: createHealth(),
  })
  const db = runner.own(
    openMongo({ url: config.mongoUrl, log, onOutbox: refs => void service.tellOwner(refs) }),
    'store',
  )
  const blobs = runner.own(gridfsBlobs({ url: config.mongoUrl, clock }), 'blobs')
  const owned = ownedProcess('workforce', { config, db, health, runner, log })
  const service = createWorkforceService({
    employees: readCatalogue(),
    db,
    blobs,
    files: createClient(FileService, ways.compute),
    taskFiles: createClient(TaskFileService, ways.compute),
    quota: createClient(QuotaService, ways.identity),
    usage: createClient(WorkforceUsageService, ways.billing),
    plans: loadPlans(config.plansFile, log),
    targetFault: config.targetFault,
    cursors: createCursors(config.cursorKey),
    streamTokenSecret: config.streamTokenSecret,
    clock,
    log,
    replicas: owned.replicas(config.caller),
    onRing: documents => db.ring(documents),
    retentionMs: config.retentionMs,
    pricePerSecondMicros: config.cpuSecondMicros,
    ...config.offered,
  })
  return await owned.start({
    routes(router) {
      service.routes(router)
      service.ownRoutes(router)
    },
    async work(owning) {
      const { events } = owned
      await Promise.all([service.run(owning), relayTasks(service, { db, events, tasks: tasksSpec.name }, owning)])
    },
  })
})

function config(set: ReturnType<typeof workforceVariables>) {
  const caller = callerOf('workforce', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  return {
    ...ownedConfig(set, caller.tls),
    caller,
    cursorKey: deriveSecret(secret, 'cursors'),
    streamTokenSecret: deriveSecret(secret, 'workforce stream-tokens'),
    addresses: addressesOf('workforce', set, caller.tls),
    plansFile: set.MILLHAND_PLANS_FILE,
    targetFault: webhookTargets(set.MILLHAND_WEBHOOK_ALLOW).targetFault,
    cpuSecondMicros: set.MILLHAND_CPU_SECOND_MICROS,
    offered: offeredOf(set),
  }
}
