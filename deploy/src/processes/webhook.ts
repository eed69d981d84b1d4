/** Webhook: endpoints and deliveries on MongoDB, events from Kafka. Any number of replicas; one of them reads and delivers. */
import { createCursors } from '@millhand/api'
import { BacklogService } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import { EventService } from '@millhand/api/gen/millhand/webhook/v1/event_service_pb.ts'
import { WebhookService } from '@millhand/api/gen/millhand/webhook/v1/webhook_service_pb.ts'
import { createDialer, createResolver } from '@millhand/dial'
import { openKafka } from '@millhand/eventlog/kafka'
import type { Ownership } from '@millhand/lease'
import { createDirectTransport, serve } from '@millhand/rpc'
import { deriveSecret, reportFailures } from '@millhand/rpc/network'
import { systemClock as clock, configuration, createHealth } from '@millhand/runner'
import { openMongo } from '@millhand/store/mongo'
import { createMetrics } from '@millhand/telemetry'
import { createWebhookService } from '@millhand/webhook'
import { DAY_MS } from '../config-parts.ts'
import { kafkaOf, kafkaVariables } from '../kafka-config.ts'
import { defineProcess } from '../process.ts'
import { serveMetrics } from '../serve-metrics.ts'
import { topicsOf } from '../topics.ts'
import { pick, variables, withoutDefault } from '../variables.ts'
import { webhookTargets } from '../webhook-targets.ts'
import { advertised } from './between.ts'
import { calledVariables, requireHttps, signingVariables, tlsOf } from './caller.ts'
import { runOwned } from './run-owned.ts'
import { serveProcess } from './serve-process.ts'
import { watchHealth } from './watch-health.ts'

export const webhookVariables = configuration(
  {
    MILLHAND_SECRET_KEY: signingVariables.MILLHAND_SECRET_KEY,
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
      'MILLHAND_RETENTION_DAYS',
      'MILLHAND_WEBHOOK_ALLOW',
      'MILLHAND_DRAIN_SECONDS',
      'MILLHAND_LOG_LEVEL',
    ),
  },
  Object.keys(variables),
)

export const webhook = defineProcess(config, async (config, runner, log) => {
  const health = createHealth()
  health.set('store', false, 'not connected')
  const db = runner.own(openMongo({ url: config.mongoUrl, log }), 'store')
  const events = runner.own(openKafka({ ...config.kafka, clientId: 'webhook', log }), 'event log')
  const metrics = createMetrics(log)
  const resolver = runner.own(createResolver({ clock }), 'resolver')
  const { allow, targetFault } = config.targets
  let ownership: Ownership | undefined
  const service = createWebhookService({
    db,
    events,
    dial: runner.own(createDialer({ allow, resolver, clock }), 'dialer'),
    targetFault,
    cursors: createCursors(config.cursorKey),
    sealingKey: config.sealingKey,
    clock,
    log,
    metrics,
    isOwner: () => ownership?.owner() === 'here',
  })
  const transport = createDirectTransport({ interceptors: [reportFailures(log)] })
  serve(service.routes, transport)
  const grpc = await serveProcess({
    trusted: config.trusted,
    tls: config.tls,
    grpc: config.grpc,
    services: [WebhookService, EventService, BacklogService],
    transport,
    routes: service.routes,
    health,
    runner,
    log,
  })
  const address = config.advertiseUrl ?? advertised(config.grpc, grpc)
  const topics = topicsOf('webhook', config.topics)
  ownership = runOwned(
    { name: 'webhook', address, leaseMs: config.ownerLeaseMs, db, events, topics, metrics, runner, log },
    async owning => {
      await Promise.all([service.run(owning), db.relay({ publish: batch => events.publish(batch) }, owning)])
    },
  )
  runner.run('store', signal => watchHealth('store', health, asking => db.ping(asking), signal))
  if (config.metrics === undefined) return { addresses: { grpc }, health }
  return { addresses: { grpc, metrics: await serveMetrics(config.metrics, { metrics, runner, log }) }, health }
})

function config(env: NodeJS.ProcessEnv) {
  const set = webhookVariables(env)
  const tls = tlsOf(set)
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  requireHttps(tls, { MILLHAND_ADVERTISE_URL: set.MILLHAND_ADVERTISE_URL ? [set.MILLHAND_ADVERTISE_URL] : [] })
  return {
    tls,
    cursorKey: deriveSecret(secret, 'cursors'),
    sealingKey: deriveSecret(secret, 'webhook secrets'),
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
    targets: webhookTargets(set.MILLHAND_WEBHOOK_ALLOW),
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
