/** Compute: tasks on MongoDB, their events on Kafka. Any number of replicas; one of them owns the queues. */
import { createCursors, createIds } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { gridfsBlobs } from '@millhand/blob/gridfs'
import { type TaskRecord, tasksSpec } from '@millhand/compute'
import { computeOn } from '@millhand/compute/on-database'
import { openKafka } from '@millhand/eventlog/kafka'
import type { Ownership } from '@millhand/lease'
import { loadCatalogue } from '@millhand/model'
import { loadPlans } from '@millhand/plans'
import { createDirectTransport, serve } from '@millhand/rpc'
import { deriveSecret, reportFailures } from '@millhand/rpc/network'
import { systemClock as clock, configuration, createHealth, everyInterval } from '@millhand/runner'
import { openMongo } from '@millhand/store/mongo'
import { createMetrics } from '@millhand/telemetry'
import { DAY_MS, MIB, modelFolders } from '../config-parts.ts'
import { requireFolder } from '../folders.ts'
import { kafkaOf, kafkaVariables } from '../kafka-config.ts'
import { defineProcess } from '../process.ts'
import { serveMetrics } from '../serve-metrics.ts'
import { topicsOf, withDoorbell } from '../topics.ts'
import { pick, variables, withoutDefault } from '../variables.ts'
import { webhookTargets } from '../webhook-targets.ts'
import { advertised, openPeer } from './between.ts'
import { calledVariables, callerOf, requireHttps, signingVariables } from './caller.ts'
import { createPeers } from './peers.ts'
import { runOwned } from './run-owned.ts'
import { serveProcess } from './serve-process.ts'
import { watchHealth } from './watch-health.ts'
import { watchToken } from './watch-token.ts'

const services = [ComputeService, FileService, TaskFileService, StreamTokenService, LeaseService, OwnerService]

export const computeVariables = configuration(
  {
    ...signingVariables,
    ...calledVariables,
    ...kafkaVariables,
    MILLHAND_METRICS_ADDR: withoutDefault(variables.MILLHAND_METRICS_ADDR),
    ...pick(
      'MILLHAND_GRPC_ADDR',
      'MILLHAND_ADVERTISE_URL',
      'MILLHAND_MONGO_URL',
      'MILLHAND_OWNER_LEASE_S',
      'MILLHAND_KAFKA_PARTITIONS',
      'MILLHAND_KAFKA_REPLICATION',
      'MILLHAND_MODELS_DIR',
      'MILLHAND_PLANS_FILE',
      'MILLHAND_RETENTION_DAYS',
      'MILLHAND_STORAGE_QUOTA_MB',
      'MILLHAND_WEBHOOK_ALLOW',
      'MILLHAND_CPU_SECOND_MICROS',
      'MILLHAND_DRAIN_SECONDS',
      'MILLHAND_LOG_LEVEL',
    ),
  },
  Object.keys(variables),
)

export const compute = defineProcess(config, async (config, runner, log) => {
  const plans = loadPlans(config.plansFile, log)
  for (const { path } of config.modelFolders) await requireFolder('MILLHAND_MODELS_DIR', path)
  const models = await loadCatalogue(config.modelFolders)
  const health = createHealth()
  health.set('store', false, 'not connected')

  runner.run('token', signal => watchToken(config.caller.expiresAt, { clock, log, health }, signal))
  const ids = createIds({ now: () => clock.now() })
  const db = runner.own(
    openMongo({ url: config.mongoUrl, log, onOutbox: refs => void service.tellOwner(refs) }),
    'store',
  )
  const blobs = runner.own(gridfsBlobs({ url: config.mongoUrl, clock }), 'blobs')
  const events = runner.own(openKafka({ ...config.kafka, clientId: 'compute', log }), 'event log')
  const metrics = createMetrics(log)
  let ownership: Ownership | undefined // It needs the address at which this replica serves.

  const { compute: service, files } = computeOn(db, {
    blobs,
    models,
    plans,
    targetFault: config.targetFault,
    cursors: createCursors(config.cursorKey),
    streamTokenSecret: config.streamTokenSecret,
    clock,
    log,
    replicas: {
      owner: () => ownership?.owner(),
      isVacant: () => ownership?.isVacant() ?? false,
      peer: createPeers(address => openPeer('compute', address, config.caller, log), { clock, runner }),
    },
    onRing: documents => db.ring(documents),
    retentionMs: config.retentionMs,
    pricePerSecondMicros: config.cpuSecondMicros,
    quotaBytes: config.storageQuotaBytes,
  })
  const transport = createDirectTransport({ interceptors: [reportFailures(log)] })
  serve(service.routes, transport)
  serve(files.routes, transport)
  const grpc = await serveProcess({
    trusted: config.trusted,
    tls: config.caller.tls,
    grpc: config.grpc,
    services,
    transport,
    routes(router) {
      service.routes(router)
      files.routes(router)
    },
    health,
    runner,
    log,
  })

  const address = config.advertiseUrl ?? advertised(config.grpc, grpc)
  const topics = topicsOf('compute', config.topics)
  ownership = runOwned(
    { name: 'compute', address, leaseMs: config.ownerLeaseMs, db, events, topics, metrics, runner, log },
    async owning => {
      const publish = withDoorbell(
        batch => events.publish(batch),
        () => ids('evt'),
      )
      const heard = (collection: string, document: object) => {
        if (collection === tasksSpec.name) service.heard(document as TaskRecord)
      }
      await Promise.all([service.run(owning), files.run(owning), db.relay({ publish, heard }, owning)])
    },
  )
  runner.run('store', signal => watchHealth('store', health, asking => db.ping(asking), signal))
  runner.run('blobs', signal =>
    everyInterval(clock, HOUR_MS, signal, () =>
      blobs.sweep(signal).catch(error => log.error('blobs.sweep_failed', { error })),
    ),
  )
  if (config.metrics === undefined) return { addresses: { grpc }, health }
  return { addresses: { grpc, metrics: await serveMetrics(config.metrics, { metrics, runner, log }) }, health }
})

const HOUR_MS = 3_600_000

function config(env: NodeJS.ProcessEnv) {
  const set = computeVariables(env)
  const caller = callerOf('compute', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  requireHttps(caller.tls, { MILLHAND_ADVERTISE_URL: set.MILLHAND_ADVERTISE_URL ? [set.MILLHAND_ADVERTISE_URL] : [] })
  return {
    caller,
    cursorKey: deriveSecret(secret, 'cursors'),
    streamTokenSecret: deriveSecret(secret, 'stream-tokens'),
    trusted: set.MILLHAND_TRUSTED_KEYS,
    grpc: set.MILLHAND_GRPC_ADDR,
    metrics: set.MILLHAND_METRICS_ADDR,
    advertiseUrl: set.MILLHAND_ADVERTISE_URL,
    mongoUrl: set.MILLHAND_MONGO_URL,
    ownerLeaseMs: set.MILLHAND_OWNER_LEASE_S * 1_000,
    kafka: kafkaOf(set),
    topics: {
      partitions: set.MILLHAND_KAFKA_PARTITIONS,
      replication: set.MILLHAND_KAFKA_REPLICATION,
      retentionMs: set.MILLHAND_RETENTION_DAYS * DAY_MS,
    },
    modelFolders: modelFolders(set.MILLHAND_MODELS_DIR),
    plansFile: set.MILLHAND_PLANS_FILE,
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    logLevel: set.MILLHAND_LOG_LEVEL,
    retentionMs: set.MILLHAND_RETENTION_DAYS * DAY_MS,
    storageQuotaBytes: set.MILLHAND_STORAGE_QUOTA_MB * MIB,
    targetFault: webhookTargets(set.MILLHAND_WEBHOOK_ALLOW).targetFault,
    cpuSecondMicros: set.MILLHAND_CPU_SECOND_MICROS,
  }
}
