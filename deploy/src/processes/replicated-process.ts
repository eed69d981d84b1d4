/** A process on MongoDB and Kafka of which one replica at a time owns the service, and does its background work. */
import type { DescService } from '@bufbuild/protobuf'
import { createClient, type Transport } from '@connectrpc/connect'
import { ConsumerDirectoryService } from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import { type KafkaEventLog, openKafka } from '@millhand/eventlog/kafka'
import { observeBehind, withReaderMetrics } from '@millhand/eventlog/reader-metrics'
import type { Ownership } from '@millhand/lease'
import { systemClock as clock, type Health, type Runner, type Values } from '@millhand/process'
import { createDirectTransport, type Routes, serve } from '@millhand/rpc'
import { reportFailures } from '@millhand/rpc/network'
import type { MongoDatabase } from '@millhand/store/mongo'
import { type Log, processMetrics as metrics } from '@millhand/telemetry'
import { DAY_MS } from '../config-parts.ts'
import { kafkaOf, kafkaVariables } from '../kafka-config.ts'
import type { Started } from '../process.ts'
import { topicsOf } from '../topics.ts'
import { metricsVariables, pick } from '../variables.ts'
import { probeHealth } from './health-probe.ts'
import { calledVariables, type OwnCredentials, requireHttps, type Tls } from './own-credentials.ts'
import { type OwnedService, runOwnerElection } from './owner-election.ts'
import { createReplicaConnections } from './replica-connections.ts'
import { serveGrpc } from './serve-grpc.ts'
import { advertised, openReplica } from './service-clients.ts'
import { watchTokenExpiry } from './token-expiry.ts'

export const replicatedVariables = {
  ...calledVariables,
  ...kafkaVariables,
  ...metricsVariables,
  ...pick(
    'MILLHAND_GRPC_ADDR',
    'MILLHAND_ADVERTISE_URL',
    'MILLHAND_MONGO_URL',
    'MILLHAND_OWNER_LEASE_S',
    'MILLHAND_KAFKA_PARTITIONS',
    'MILLHAND_KAFKA_REPLICATION',
    'MILLHAND_DRAIN_SECONDS',
    'MILLHAND_LOG_LEVEL',
  ),
}

type OwnedConfig = ReturnType<typeof replicatedConfig> & { readonly caller: OwnCredentials }

/** @throws ConfigurationError */
export function replicatedConfig(
  set: Values<typeof replicatedVariables> & { readonly MILLHAND_RETENTION_DAYS: number },
  tls: Tls | undefined,
) {
  const { MILLHAND_ADVERTISE_URL: advertiseUrl } = set
  requireHttps(tls, { MILLHAND_ADVERTISE_URL: advertiseUrl === undefined ? [] : [advertiseUrl] })
  const retentionMs = set.MILLHAND_RETENTION_DAYS * DAY_MS
  return {
    tls,
    trusted: set.MILLHAND_TRUSTED_KEYS,
    grpc: set.MILLHAND_GRPC_ADDR,
    metrics: set.MILLHAND_METRICS_ADDR,
    advertiseUrl,
    mongoUrl: set.MILLHAND_MONGO_URL,
    ownerLeaseMs: set.MILLHAND_OWNER_LEASE_S * 1_000,
    kafka: kafkaOf(set),
    topics: {
      partitions: set.MILLHAND_KAFKA_PARTITIONS,
      replication: set.MILLHAND_KAFKA_REPLICATION,
      retentionMs,
    },
    retentionMs,
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}

interface OwnedParts {
  readonly config: OwnedConfig
  readonly db: MongoDatabase
  readonly health: Health
  readonly runner: Runner
  readonly log: Log
}

interface OwnedWork {
  readonly routes: (router: Routes) => void
  /** What the owner does until the signal ends. */
  readonly work: (owning: AbortSignal) => Promise<void>
  /** The largest message of a request; as gRPC has it where it is left out. */
  readonly mostMessageBytes?: number
  /** Whose tokens are good here beside those of the operator's. */
  readonly trusted?: readonly string[]
  /** Services that are answered without a token. */
  readonly openServices?: readonly DescService[]
  /** The connection to identity, which knows the internal consumers; without it none is let in. */
  readonly identity?: Transport
  /** Precedes the first look at the database. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>
}

/** What the service is created with, and how it is started then. */
export function replicatedProcess(name: OwnedService, { config, db, health, runner, log }: OwnedParts) {
  health.set('store', false, 'not connected')
  const { caller } = config
  runner.run('token', signal => watchTokenExpiry(caller.expiresAt, { clock, log, health }, signal))
  const kafka: KafkaEventLog = runner.own(openKafka({ ...config.kafka, clientId: name, log }), 'event log')
  const events = withReaderMetrics(kafka, metrics)
  runner.own({ close: observeBehind(metrics, kafka.groupsBehind) }, 'reader metrics')
  let ownership: Ownership | undefined // It needs the address at which this replica serves.

  return {
    events,
    owner: () => ownership?.owner(),
    /** For a service whose replicas pass calls to the owner. */
    replicas: () => ({
      owner: () => ownership?.owner(),
      isVacant: () => ownership?.isVacant() ?? false,
      peer: createReplicaConnections(address => openReplica(name, address, caller, log), { clock, runner }),
    }),
    async start(owned: OwnedWork): Promise<Started> {
      const { routes, work, mostMessageBytes, openServices, identity, prepare = async () => {} } = owned
      const trusted = [...config.trusted, ...(owned.trusted ?? [])]
      const transport = createDirectTransport({ interceptors: [reportFailures(log)] })
      serve(routes, transport)
      const grpc = await serveGrpc({
        consumers: identity && createClient(ConsumerDirectoryService, identity),
        ...{ ...config, trusted, openServices, transport, routes, mostMessageBytes, health, runner, log },
      })
      const address = config.advertiseUrl ?? advertised(config.grpc, grpc)
      const topics = topicsOf(name, config.topics)
      const { ownerLeaseMs: leaseMs } = config
      ownership = runOwnerElection({ name, address, leaseMs, db, events, topics, metrics, runner, log }, work)
      runner.run('store', async signal => {
        await prepare(signal)
        await probeHealth('store', health, asking => db.ping(asking), signal)
      })
      return { addresses: { grpc }, health }
    },
  }
}
