/** Compute: tasks on MongoDB, their events on Kafka. Any number of replicas; one of them owns the queues. */
import { createCursors, createIds } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { gridfsBlobs } from '@millhand/blob/gridfs'
import { createComputeService, type TaskRecord, tasksSpec } from '@millhand/compute'
import { openKafka } from '@millhand/eventlog/kafka'
import { createOwnership, type OwnerRecord, type Ownership, ownersSpec } from '@millhand/lease'
import { loadCatalogue } from '@millhand/model'
import { createDirectTransport, serve } from '@millhand/rpc'
import { reportFailures } from '@millhand/rpc/network'
import { systemClock as clock, configuration, createHealth, everyInterval } from '@millhand/runner'
import { openMongo } from '@millhand/store/mongo'
import { DAY_MS, modelFolders } from '../config-parts.ts'
import { requireFolder } from '../folders.ts'
import { defineProcess } from '../process.ts'
import { topics, withDoorbell } from '../topics.ts'
import { pick, variables } from '../variables.ts'
import { advertised, createPeers, trusted, trustedCaller } from './between.ts'
import { serveProcess } from './serve-process.ts'
import { watchHealth } from './watch-health.ts'

const services = [ComputeService, LeaseService, OwnerService]

export const computeVariables = configuration(
  {
    ...trusted,
    ...pick(
      'MILLHAND_GRPC_ADDR',
      'MILLHAND_ADVERTISE_URL',
      'MILLHAND_MONGO_URL',
      'MILLHAND_KAFKA_BROKERS',
      'MILLHAND_KAFKA_PREFIX',
      'MILLHAND_KAFKA_PARTITIONS',
      'MILLHAND_KAFKA_REPLICATION',
      'MILLHAND_MODELS_DIR',
      'MILLHAND_RETENTION_DAYS',
      'MILLHAND_CPU_SECOND_MICROS',
      'MILLHAND_LOG_LEVEL',
    ),
  },
  Object.keys(variables),
)

export const compute = defineProcess(config, async (config, runner, log) => {
  for (const { path } of config.modelFolders) await requireFolder('MILLHAND_MODELS_DIR', path)
  const models = await loadCatalogue(config.modelFolders)
  const health = createHealth()
  health.set('store', false, 'not connected')

  const ids = createIds({ now: () => clock.now() })
  const db = runner.own(
    openMongo({ url: config.mongoUrl, log, onOutbox: refs => void service.tellOwner(refs) }),
    'store',
  )
  const blobs = runner.own(gridfsBlobs({ url: config.mongoUrl, clock }), 'blobs')
  const events = runner.own(openKafka({ ...config.kafka, clientId: 'compute', log }), 'event log')
  let ownership: Ownership | undefined // It needs the address at which this replica serves.

  const service = createComputeService({
    tasks: db.collection<TaskRecord, 'ready' | 'due'>(tasksSpec),
    blobs,
    models,
    cursors: createCursors(config.caller.secret),
    clock,
    log,
    replicas: { owner: () => ownership?.owner(), peer: createPeers(config.caller, runner, log) },
    onRing: documents => db.ring(documents),
    retentionMs: config.retentionMs,
    pricePerSecondMicros: config.cpuSecondMicros,
  })
  const transport = createDirectTransport({ interceptors: [reportFailures(log)] })
  serve(service.routes, transport)
  const grpc = await serveProcess({
    ...config.caller,
    grpc: config.grpc,
    services,
    transport,
    routes: service.routes,
    health,
    runner,
    log,
  })

  ownership = createOwnership({
    owners: db.collection<OwnerRecord, never>(ownersSpec),
    name: 'compute',
    address: config.advertiseUrl ?? advertised(config.grpc, grpc),
    clock,
    onError: error => log.warn('ownership.failed', { error }),
  })
  const owned = ownership
  runner.run('topics', async signal => {
    await events.ensureTopics(topics(config.topics), signal)
    log.info('topics.ready')
  })
  runner.run('compute', async signal => {
    await db.prepare(signal)
    await owned.run(signal, async owning => {
      log.info('ownership.begun')
      const publish = withDoorbell(
        batch => events.publish(batch),
        () => ids('evt'),
      )
      const heard = (collection: string, document: object) => {
        if (collection === tasksSpec.name) service.heard(document as TaskRecord)
      }
      await Promise.all([service.run(owning), db.relay({ publish, heard }, owning)])
      log.info('ownership.ended')
    })
  })
  runner.run('store', signal => watchHealth('store', health, () => db.ping(), signal))
  runner.run('blobs', signal =>
    everyInterval(clock, HOUR_MS, signal, () =>
      blobs.sweep(signal).catch(error => log.error('blobs.sweep_failed', { error })),
    ),
  )
  return { addresses: { grpc }, health }
})

const HOUR_MS = 3_600_000

function config(env: NodeJS.ProcessEnv) {
  const set = computeVariables(env)
  return {
    caller: trustedCaller('compute', set),
    grpc: set.MILLHAND_GRPC_ADDR,
    advertiseUrl: set.MILLHAND_ADVERTISE_URL,
    mongoUrl: set.MILLHAND_MONGO_URL,
    kafka: {
      brokers: set.MILLHAND_KAFKA_BROKERS,
      ...(set.MILLHAND_KAFKA_PREFIX !== undefined && { prefix: set.MILLHAND_KAFKA_PREFIX }),
    },
    topics: {
      partitions: set.MILLHAND_KAFKA_PARTITIONS,
      replication: set.MILLHAND_KAFKA_REPLICATION,
      retentionMs: set.MILLHAND_RETENTION_DAYS * DAY_MS,
    },
    modelFolders: modelFolders(set.MILLHAND_MODELS_DIR),
    logLevel: set.MILLHAND_LOG_LEVEL,
    retentionMs: set.MILLHAND_RETENTION_DAYS * DAY_MS,
    cpuSecondMicros: set.MILLHAND_CPU_SECOND_MICROS,
  }
}
