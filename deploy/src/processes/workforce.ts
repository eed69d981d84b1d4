/** Workforce: employees' tasks on MongoDB, events to Kafka. Any number of replicas; one of them owns the queues. */
import { createClient } from '@connectrpc/connect'
import { createCursors, createIds } from '@millhand/api'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import { gridfsBlobs } from '@millhand/blob/gridfs'
import { openKafka } from '@millhand/eventlog/kafka'
import type { Ownership } from '@millhand/lease'
import { loadPlans } from '@millhand/plans'
import { createDirectTransport, serve } from '@millhand/rpc'
import { deriveSecret, reportFailures } from '@millhand/rpc/network'
import { systemClock as clock, configuration, createHealth } from '@millhand/runner'
import { openMongo } from '@millhand/store/mongo'
import { createMetrics } from '@millhand/telemetry'
import { createWorkforceService, type TaskRecord, tasksSpec } from '@millhand/workforce'
import { DAY_MS } from '../config-parts.ts'
import { offeredOf, offeredVariables } from '../engines.ts'
import { kafkaOf, kafkaVariables } from '../kafka-config.ts'
import { defineProcess } from '../process.ts'
import { serveMetrics } from '../serve-metrics.ts'
import { topicsOf, withDoorbell } from '../topics.ts'
import { pick, variables, withoutDefault } from '../variables.ts'
import { webhookTargets } from '../webhook-targets.ts'
import { advertised, openPeer, reach } from './between.ts'
import { calledVariables, callerOf, requireHttps, signingVariables } from './caller.ts'
import { createPeers } from './peers.ts'
import { runOwned } from './run-owned.ts'
import { serveProcess } from './serve-process.ts'
import { watchHealth } from './watch-health.ts'
import { watchToken } from './watch-token.ts'

export const workforceVariables = configuration(
  {
    ...signingVariables,
    ...calledVariables,
    ...kafkaVariables,
    MILLHAND_METRICS_ADDR: withoutDefault(variables.MILLHAND_METRICS_ADDR),
    ...pick(
      'MILLHAND_GRPC_ADDR',
      'MILLHAND_ADVERTISE_URL',
      'MILLHAND_IDENTITY_URL',
      'MILLHAND_COMPUTE_URL',
      'MILLHAND_BILLING_URL',
      'MILLHAND_MONGO_URL',
      'MILLHAND_OWNER_LEASE_S',
      'MILLHAND_KAFKA_PARTITIONS',
      'MILLHAND_KAFKA_REPLICATION',
      'MILLHAND_PLANS_FILE',
      'MILLHAND_RETENTION_DAYS',
      'MILLHAND_WEBHOOK_ALLOW',
      'MILLHAND_CPU_SECOND_MICROS',
      ...offeredVariables,
      'MILLHAND_DRAIN_SECONDS',
      'MILLHAND_LOG_LEVEL',
    ),
  },
  Object.keys(variables),
)

export const workforce = defineProcess(config, async (config, runner, log) => {
  const health = createHealth()
  health.set('store', false, 'not connected')
  runner.run('token', signal => watchToken(config.caller.expiresAt, { clock, log, health }, signal))
  // Without them what has been accepted goes on, so a replica is ready without them.
  const besides = createHealth()
  const to = (service: string, urls: readonly string[]) => reach(service, urls, config.caller, runner, log, besides)
  const compute = to('compute', config.computeUrls)
  const ids = createIds({ now: () => clock.now() })
  const db = runner.own(
    openMongo({ url: config.mongoUrl, log, onOutbox: refs => void service.tellOwner(refs) }),
    'store',
  )
  const blobs = runner.own(gridfsBlobs({ url: config.mongoUrl, clock }), 'blobs')
  const events = runner.own(openKafka({ ...config.kafka, clientId: 'workforce', log }), 'event log')
  const metrics = createMetrics(log)
  let ownership: Ownership | undefined // It needs the address at which this replica serves.

  const service = createWorkforceService({
    db,
    blobs,
    files: createClient(FileService, compute),
    taskFiles: createClient(TaskFileService, compute),
    quota: createClient(QuotaService, to('identity', config.identityUrls)),
    usage: createClient(WorkforceUsageService, to('billing', config.billingUrls)),
    plans: loadPlans(config.plansFile, log),
    targetFault: config.targetFault,
    cursors: createCursors(config.cursorKey),
    streamTokenSecret: config.streamTokenSecret,
    clock,
    log,
    replicas: {
      owner: () => ownership?.owner(),
      isVacant: () => ownership?.isVacant() ?? false,
      peer: createPeers(address => openPeer('workforce', address, config.caller, log), { clock, runner }),
    },
    onRing: documents => db.ring(documents),
    retentionMs: config.retentionMs,
    pricePerSecondMicros: config.cpuSecondMicros,
    ...config.offered,
  })
  const routes = (router: Parameters<typeof service.routes>[0]) => {
    service.routes(router)
    service.ownRoutes(router)
  }
  const transport = createDirectTransport({ interceptors: [reportFailures(log)] })
  serve(routes, transport)
  const grpc = await serveProcess({
    trusted: config.trusted,
    tls: config.caller.tls,
    grpc: config.grpc,
    services: [WorkforceService, LeaseService, OwnerService],
    transport,
    routes,
    health,
    runner,
    log,
  })

  const address = config.advertiseUrl ?? advertised(config.grpc, grpc)
  const topics = topicsOf('workforce', config.topics)
  ownership = runOwned(
    { name: 'workforce', address, leaseMs: config.ownerLeaseMs, db, events, topics, metrics, runner, log },
    async owning => {
      const publish = withDoorbell(
        batch => events.publish(batch),
        () => ids('evt'),
      )
      const heard = (collection: string, document: object) => {
        if (collection === tasksSpec.name) service.heard(document as TaskRecord)
      }
      await Promise.all([service.run(owning), db.relay({ publish, heard }, owning)])
    },
  )
  runner.run('store', signal => watchHealth('store', health, asking => db.ping(asking), signal))
  if (config.metrics === undefined) return { addresses: { grpc }, health }
  return { addresses: { grpc, metrics: await serveMetrics(config.metrics, { metrics, runner, log }) }, health }
})

function config(env: NodeJS.ProcessEnv) {
  const set = workforceVariables(env)
  const caller = callerOf('workforce', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  const { MILLHAND_IDENTITY_URL, MILLHAND_COMPUTE_URL, MILLHAND_BILLING_URL, MILLHAND_ADVERTISE_URL: own } = set
  const urls = { MILLHAND_IDENTITY_URL, MILLHAND_COMPUTE_URL, MILLHAND_BILLING_URL }
  requireHttps(caller.tls, { ...urls, MILLHAND_ADVERTISE_URL: own ? [own] : [] })
  return {
    caller,
    cursorKey: deriveSecret(secret, 'cursors'),
    streamTokenSecret: deriveSecret(secret, 'workforce stream-tokens'),
    trusted: set.MILLHAND_TRUSTED_KEYS,
    grpc: set.MILLHAND_GRPC_ADDR,
    metrics: set.MILLHAND_METRICS_ADDR,
    advertiseUrl: own,
    identityUrls: MILLHAND_IDENTITY_URL,
    computeUrls: MILLHAND_COMPUTE_URL,
    billingUrls: MILLHAND_BILLING_URL,
    mongoUrl: set.MILLHAND_MONGO_URL,
    ownerLeaseMs: set.MILLHAND_OWNER_LEASE_S * 1_000,
    kafka: kafkaOf(set),
    topics: {
      partitions: set.MILLHAND_KAFKA_PARTITIONS,
      replication: set.MILLHAND_KAFKA_REPLICATION,
      retentionMs: set.MILLHAND_RETENTION_DAYS * DAY_MS,
    },
    plansFile: set.MILLHAND_PLANS_FILE,
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    logLevel: set.MILLHAND_LOG_LEVEL,
    retentionMs: set.MILLHAND_RETENTION_DAYS * DAY_MS,
    targetFault: webhookTargets(set.MILLHAND_WEBHOOK_ALLOW).targetFault,
    cpuSecondMicros: set.MILLHAND_CPU_SECOND_MICROS,
    offered: offeredOf(set),
  }
}
