/** Identity: accounts, keys and their limits, on MongoDB, their events on Kafka. Any number of replicas; one is the owner. */
import { createCursors } from '@millhand/api'
import { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { openKafka } from '@millhand/eventlog/kafka'
import {
  type BootstrapKeys,
  createIdentityService,
  ensureFirstAccount,
  identityCollections,
  identityServices,
} from '@millhand/identity'
import type { Ownership } from '@millhand/lease'
import { loadPlans } from '@millhand/plans'
import { createDirectTransport, serve } from '@millhand/rpc'
import { deriveSecret, reportFailures } from '@millhand/rpc/network'
import { ConfigurationError, systemClock as clock, configuration, createHealth } from '@millhand/runner'
import { createStatusService } from '@millhand/status'
import { openMongo } from '@millhand/store/mongo'
import { createMetrics } from '@millhand/telemetry'
import { bootstrapKeys, DAY_MS, firstPlans } from '../config-parts.ts'
import { kafkaOf, kafkaVariables } from '../kafka-config.ts'
import { defineProcess } from '../process.ts'
import { serveMetrics } from '../serve-metrics.ts'
import { topicsOf } from '../topics.ts'
import { pick, variables, withoutDefault } from '../variables.ts'
import { advertised, openPeer } from './between.ts'
import { calledVariables, callerOf, requireHttps, signingVariables } from './caller.ts'
import { createPeers } from './peers.ts'
import { runOwned } from './run-owned.ts'
import { serveProcess } from './serve-process.ts'
import { untilItWorks, watchHealth } from './watch-health.ts'
import { watchToken } from './watch-token.ts'

export const identityVariables = configuration(
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
      'MILLHAND_PLANS_FILE',
      'MILLHAND_BOOTSTRAP_KEY',
      'MILLHAND_BOOTSTRAP_TEST_KEY',
      'MILLHAND_BOOTSTRAP_PLANS',
      'MILLHAND_RETENTION_DAYS',
      'MILLHAND_DRAIN_SECONDS',
      'MILLHAND_LOG_LEVEL',
    ),
  },
  Object.keys(variables),
)

export const identity = defineProcess(config, async (config, runner, log) => {
  const plans = loadPlans(config.plansFile, log)
  const { bootstrap } = config
  const first = bootstrap && { keys: bootstrap, plans: firstPlans(config.bootstrapPlans, plans) }
  const health = createHealth()
  health.set('store', false, 'not connected')
  runner.run('token', signal => watchToken(config.caller.expiresAt, { clock, log, health }, signal))
  const db = runner.own(openMongo({ url: config.mongoUrl, log }), 'store')
  const events = runner.own(openKafka({ ...config.kafka, clientId: 'identity', log }), 'event log')
  const metrics = createMetrics(log)
  let ownership: Ownership | undefined // It needs the address at which this replica serves.

  const collections = identityCollections(db)
  const service = createIdentityService({
    ...collections,
    plans,
    cursors: createCursors(config.cursorKey),
    keySecret: config.keySecret,
    clock,
    log,
    replicas: {
      owner: () => ownership?.owner(),
      peer: createPeers(address => openPeer('identity', address, config.caller, log), { clock, runner }),
    },
  })
  const transport = createDirectTransport({ interceptors: [reportFailures(log)] })
  serve(service.routes, transport)
  const status = createStatusService({ db, clock, log })
  serve(status.routes, transport)
  const grpc = await serveProcess({
    trusted: config.trusted,
    tls: config.caller.tls,
    grpc: config.grpc,
    services: [...identityServices, StatusService],
    transport,
    routes(router) {
      service.routes(router)
      status.routes(router)
    },
    health,
    runner,
    log,
  })
  const address = config.advertiseUrl ?? advertised(config.grpc, grpc)
  const topics = topicsOf('identity', config.topics)
  ownership = runOwned(
    { name: 'identity', address, leaseMs: config.ownerLeaseMs, db, events, topics, metrics, runner, log },
    async owning => {
      // Its own outboxes alone: a relay looks at the collections that this process has asked for.
      await Promise.all([service.run(owning), db.relay({ publish: batch => events.publish(batch) }, owning)])
    },
  )
  runner.run('store', async signal => {
    await db.prepare(signal)
    if (first) await untilItWorks(() => ensureFirstAccount({ ...collections, clock }, first), signal, log)
    await watchHealth('store', health, asking => db.ping(asking), signal)
  })
  runner.run('status', signal => status.run(signal))
  if (config.metrics === undefined) return { addresses: { grpc }, health }
  return { addresses: { grpc, metrics: await serveMetrics(config.metrics, { metrics, runner, log }) }, health }
})

function config(env: NodeJS.ProcessEnv) {
  const set = identityVariables(env)
  const caller = callerOf('identity', set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  requireHttps(caller.tls, { MILLHAND_ADVERTISE_URL: set.MILLHAND_ADVERTISE_URL ? [set.MILLHAND_ADVERTISE_URL] : [] })
  return {
    caller,
    cursorKey: deriveSecret(secret, 'cursors'),
    keySecret: deriveSecret(secret, 'api keys'),
    trusted: set.MILLHAND_TRUSTED_KEYS,
    grpc: set.MILLHAND_GRPC_ADDR,
    metrics: set.MILLHAND_METRICS_ADDR,
    mongoUrl: set.MILLHAND_MONGO_URL,
    ownerLeaseMs: set.MILLHAND_OWNER_LEASE_S * 1_000,
    advertiseUrl: set.MILLHAND_ADVERTISE_URL,
    kafka: kafkaOf(set),
    topics: {
      partitions: set.MILLHAND_KAFKA_PARTITIONS,
      replication: set.MILLHAND_KAFKA_REPLICATION,
      retentionMs: set.MILLHAND_RETENTION_DAYS * DAY_MS,
    },
    plansFile: set.MILLHAND_PLANS_FILE,
    bootstrap: bootstrapOf(set),
    bootstrapPlans: set.MILLHAND_BOOTSTRAP_PLANS,
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}

/** Without them an operator makes the first account: `pnpm millhand accounts create`. */
function bootstrapOf(set: Parameters<typeof bootstrapKeys>[0]): BootstrapKeys | undefined {
  const { live, test } = bootstrapKeys(set)
  if (live !== undefined && test !== undefined) return { live, test }
  if (live === undefined && test === undefined) return undefined
  throw new ConfigurationError(['MILLHAND_BOOTSTRAP_KEY and MILLHAND_BOOTSTRAP_TEST_KEY must be set together.'])
}
