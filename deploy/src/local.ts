/** Everything in one process, on SQLite. */
import { createClient } from '@connectrpc/connect'
import { type Cursors, createCursors } from '@millhand/api'
import { BatchTaskService } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { ExecutorService } from '@millhand/api/gen/millhand/compute/v1/executor_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { ConsumerDirectoryService } from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { CapacityService } from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { BacklogService } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import { createBatchService } from '@millhand/batch'
import { createBillingService } from '@millhand/billing'
import type { Blobs } from '@millhand/blob'
import { computeOn } from '@millhand/compute/compute-on-database'
import { createDialer, createResolver } from '@millhand/dial'
import { readCatalogue } from '@millhand/employees/catalogue'
import type { EventLog } from '@millhand/eventlog'
import { observeBehind, withReaderMetrics } from '@millhand/eventlog/reader-metrics'
import { sqliteArchive, sqliteEventLog } from '@millhand/eventlog/sqlite'
import { chooseSandbox, type ModelRunner } from '@millhand/executor'
import { createGateway, type Gateway, localLimiter, publicServices } from '@millhand/gateway'
import { createIdentityService, identityCollections } from '@millhand/identity'
import { createInstanceService } from '@millhand/instance'
import { singleReplica } from '@millhand/lease'
import { type Catalogue, loadCatalogue } from '@millhand/model'
import { loadPlans, type Plans } from '@millhand/plans'
import { systemClock as clock, createHealth, type Health, type Runner } from '@millhand/process'
import { serve } from '@millhand/rpc'
import { createCredentialsIssuer, deriveSecret } from '@millhand/rpc/network'
import { createStatusService } from '@millhand/status'
import type { SqliteDatabase } from '@millhand/store/sqlite'
import { type Log, processMetrics as metrics } from '@millhand/telemetry'
import { createWebhookService, eventsKeptMs, topics as listedTopics } from '@millhand/webhook'
import { createWorkforceService } from '@millhand/workforce'
import type { EnsuredKeys } from './bootstrap-keys.ts'
import { watchDeliveryHealth } from './delivery-health.ts'
import { trimEvents } from './event-retention.ts'
import { createExecutorTokens } from './executor-tokens.ts'
import { createExecutors } from './executors.ts'
import { ensureFolder, requireFolder } from './folders.ts'
import { HostedServices } from './hosted-services.ts'
import { releaseWhenIdle } from './idle-memory.ts'
import { instanceDrivers } from './instance-drivers.ts'
import { explainListenFault } from './listen-fault.ts'
import type { LocalConfig } from './local-config.ts'
import { openAccounts, openStore } from './local-data.ts'
import { openProcessor } from './payment-processor.ts'
import { probeHealth } from './processes/health-probe.ts'
import { serveGrpc } from './processes/serve-grpc.ts'
import { serveMetrics } from './serve-metrics.ts'
import { calleesOf } from './services.ts'
import { textGenerationOf } from './text-generation.ts'
import { webhookTargets } from './webhook-targets.ts'

export interface Local {
  /** Where REST is served. */
  readonly url: string
  /** Where gRPC is served. */
  readonly grpc: string
  /** Where `/metrics` is served. */
  readonly metrics: string
  readonly keys: EnsuredKeys
  readonly models: Catalogue
}

/** Half of the runner's 10 s: the gateway stops first, and the executor behind it has runs to hand back. */
const GATEWAY_STOP_MS = 5_000

/** For so long after a request the next is expected. */
const BUSY_MS = 200

/** Starts everything and resolves once it serves. What it starts, the runner stops. */
export async function local(config: LocalConfig, runner: Runner, log: Log, modelRunner: ModelRunner): Promise<Local> {
  const plans = loadPlans(config.plansFile, log)
  await ensureFolder('MILLHAND_DATA_DIR', config.dataDir)
  for (const { path } of config.modelFolders) await requireFolder('MILLHAND_MODELS_DIR', path)
  const health = createHealth()
  const { db, blobs } = await openStore(config, runner, log)
  // Of children of all parts: compute looks into files in one.
  const sandbox = chooseSandbox(config.sandbox, log)
  const [models] = await Promise.all([loadCatalogue(config.modelFolders), sandbox])
  const { secret, keys } = await openAccounts(config, db, plans)
  const hosted = new HostedServices(runner)
  const process: Process = { config, runner, log, health, db, blobs, models, plans, secret, hosted }
  let gateway: Gateway | undefined
  await hostServices(process, () => gateway?.hasRequestWithin(BUSY_MS) ?? false)
  await runExecutors(process, modelRunner)
  gateway = ownGateway(process)
  const { listen, drain, hasRequestWithin } = gateway
  runner.run('store', signal => probeHealth('store', health, () => db.ping(), signal))
  const grpc = await serveGrpc({
    grpc: config.grpc,
    trusted: [createCredentialsIssuer(secret).publicKey, createExecutorTokens(secret).publicKey],
    openServices: [ExecutorService],
    consumers: createClient(ConsumerDirectoryService, hosted.transport),
    ...{ tls: undefined, transport: hosted.served },
    routes: router => hosted.routes(router),
    health,
    runner,
    log,
  })
  runner.onDrain(drain)
  const { url } = await explainListenFault('MILLHAND_HTTP_ADDR', listen())
  runner.run('idle memory', signal => releaseWhenIdle({ hasRequestWithin, clock }, signal))
  for (const model of models.list())
    if (model.status === 'broken') log.warn('model.broken', { model: model.id, problem: model.problem })
  return { url, grpc, metrics: await serveMetrics(config.metrics, { metrics, runner, log }), keys, models }
}

/** What the parts of the process are made of. */
interface Process {
  readonly config: LocalConfig
  readonly runner: Runner
  readonly log: Log
  readonly health: Health
  readonly db: SqliteDatabase
  readonly blobs: Blobs
  readonly models: Catalogue
  readonly plans: Plans
  readonly secret: Uint8Array
  readonly hosted: HostedServices
}

/** `isBusy`: whether requests come, which readers of old events leave the thread to. */
async function hostServices(process: Process, isBusy: () => boolean): Promise<void> {
  const { config, runner, log, db, blobs, models, plans, secret, hosted } = process
  const cursors = createCursors(deriveSecret(secret, 'cursors'))
  const { allow, targetFault } = webhookTargets(config.webhookAllow)
  const keySecret = deriveSecret(secret, 'api keys')
  const replicas = singleReplica
  hosted.host(
    'identity',
    createIdentityService({ ...identityCollections(db), plans, cursors, keySecret, clock, log, replicas }),
  )
  hosted.host('status', createStatusService({ db, clock, log }))

  const ofTasks = {
    ...{ blobs, plans, targetFault, cursors, clock, log, replicas },
    onRing: () => {},
    retentionMs: config.retentionMs,
  }
  const { transport } = hosted
  const capacity = createClient(CapacityService, transport)
  const { compute, files } = computeOn(db, {
    ...ofTasks,
    ...{ models, textGeneration: textGenerationOf(config.textSlots) },
    streamTokenSecret: deriveSecret(secret, 'stream-tokens'),
    quotaBytes: config.storageQuotaBytes,
    capacity,
    joining: { tokens: createExecutorTokens(secret), capacity },
  })
  hosted.host('files', files)
  hosted.host('compute', compute)
  const eventLog = sqliteEventLog(db, { isBusy })
  const events = withReaderMetrics(eventLog, metrics)
  runner.own({ close: observeBehind(metrics, eventLog.groupsBehind) }, 'reader metrics')
  const batch = createBatchService({
    ...{ db, blobs, events, cursors, clock, log },
    tasks: {
      compute: createClient(BatchTaskService, transport),
      workforce: createClient(BatchTaskService, hosted.workforceOwn),
    },
    files: createClient(FileService, transport),
    taskFiles: createClient(TaskFileService, transport),
    retentionMs: config.retentionMs,
  })
  hosted.host(
    'instance',
    createInstanceService({
      ...{ db, plans, cursors, clock, log, replicas },
      drivers: await instanceDrivers(config.instanceDriver, { clock, runner }),
      sealingKey: deriveSecret(secret, 'instance secrets'),
      retentionMs: config.retentionMs,
      executors: config.instanceExecutors,
    }),
  )
  await hostEventReaders(process, { allow, targetFault, cursors, events, topics: batch.topics })

  const workforce = createWorkforceService({
    ...ofTasks,
    employees: readCatalogue(),
    db,
    files: createClient(FileService, transport),
    taskFiles: createClient(TaskFileService, transport),
    quota: createClient(QuotaService, transport),
    usage: createClient(WorkforceUsageService, transport),
    streamTokenSecret: deriveSecret(secret, 'workforce stream-tokens'),
    ...config.offered,
  })
  hosted.host('workforce', workforce)
  serve(workforce.ownRoutes, hosted.workforceOwn)
  // Its work begins at once, and makes tasks of both.
  hosted.host('batch', batch)
}

/** What billing and webhook are made of. */
interface EventReaders extends ReturnType<typeof webhookTargets> {
  readonly cursors: Cursors
  readonly events: EventLog
  /** What the groups of other services read, by their names. */
  readonly topics: Readonly<Record<string, readonly string[]>>
}

/** Billing and webhook, and the removal of events that all who read them have read. */
async function hostEventReaders(
  { config, runner, log, db, plans, secret, hosted }: Process,
  { allow, targetFault, cursors, events, topics: others }: EventReaders,
): Promise<void> {
  const billing = createBillingService({
    db,
    events,
    plans,
    cursors,
    clock,
    log,
    ...config.ledgerTimes,
    seller: config.seller,
    processor: await openProcessor(config.payment, clock),
  })
  await billing.checkPrices()
  hosted.host('billing', billing)
  const resolver = runner.own(createResolver({ clock }), 'resolver')
  const webhook = createWebhookService({
    db,
    events,
    eventArchive: sqliteArchive(db, listedTopics),
    dial: runner.own(createDialer({ allow, resolver, clock }), 'dialer'),
    targetFault,
    cursors,
    sealingKey: deriveSecret(secret, 'webhook secrets'),
    clock,
    log,
    metrics,
  })
  hosted.host('webhook', webhook)
  const tails = async () => ({ webhooks: await webhook.offset() })
  runner.run('event retention', signal => {
    const topics = { ...others, ...billing.topics, ...webhook.topics }
    // The log is the archive that `GET /v1/events` shows.
    const retentionMs = Math.max(config.retentionMs, eventsKeptMs)
    return trimEvents({ db, retentionMs, tails, topics, clock, log }, signal)
  })
}

async function runExecutors({ config, runner, log, models, hosted }: Process, modelRunner: ModelRunner): Promise<void> {
  const executors = await createExecutors({
    leases: createClient(LeaseService, hosted.transport),
    workforceLeases: createClient(LeaseService, hosted.workforceOwn),
    engines: config.engines,
    own: runner.own,
    runner: modelRunner,
    ...{ models, clock, log },
    ...{ slots: config.executorSlots, textSlots: config.textSlots },
    providers: config.providers,
    onnx: config.onnx,
    memoryLimitBytes: config.modelsMemoryBytes,
  })
  for (const [name, executor] of executors) runner.run(name, signal => executor.run(signal))
}

function ownGateway({ config, runner, log, health, hosted: { transport } }: Process) {
  const optionalHealth = createHealth()
  const gateway = runner.own(
    createGateway({
      services: publicServices,
      transport,
      identity: createClient(IdentityService, transport),
      idempotency: createClient(IdempotencyService, transport),
      billing: createClient(BillingService, transport),
      limiter: localLimiter(clock),
      status: createClient(StatusService, transport),
      publicUrl: config.publicUrl,
      securityContact: config.securityContact,
      health,
      optionalHealth,
      log,
      clock,
      http: config.http,
      limits: { stopMs: GATEWAY_STOP_MS, ...config.accountLimits },
    }),
  )
  // They live and die with this process.
  for (const part of calleesOf('gateway')) health.set(part, true)
  const backlog = createClient(BacklogService, transport)
  runner.run('deliveries', signal => watchDeliveryHealth({ backlog, health: optionalHealth, clock }, signal))
  return gateway
}
