/** Everything in one process, on SQLite. */
import { join } from 'node:path'
import { createClient } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { BacklogService } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import { createBillingService } from '@millhand/billing'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { computeOn } from '@millhand/compute/compute-on-database'
import { createDialer, createResolver } from '@millhand/dial'
import { readCatalogue } from '@millhand/employees/catalogue'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import type { ModelRunner } from '@millhand/executor'
import { createGateway, localLimiter, publicServices } from '@millhand/gateway'
import { createIdentityService, ensureFirstAccount, hasFirstAccount, identityCollections } from '@millhand/identity'
import { singleReplica } from '@millhand/lease'
import { type Catalogue, loadCatalogue } from '@millhand/model'
import { loadPlans } from '@millhand/plans'
import { systemClock as clock, createHealth, type Runner } from '@millhand/process'
import { createDirectTransport, type Routes, serve } from '@millhand/rpc'
import { createCredentialsIssuer, deriveSecret } from '@millhand/rpc/network'
import { createStatusService } from '@millhand/status'
import { DiskRoom, openSqlite } from '@millhand/store/sqlite'
import { createMetrics, type Log } from '@millhand/telemetry'
import { createWebhookService } from '@millhand/webhook'
import { createWorkforceService } from '@millhand/workforce'
import { type EnsuredKeys, ensureBootstrapKeys } from './bootstrap-keys.ts'
import { firstPlans } from './config-parts.ts'
import { watchDeliveryHealth } from './delivery-health.ts'
import { trimEvents } from './event-retention.ts'
import { createExecutors } from './executors.ts'
import { ensureFolder, requireFolder } from './folders.ts'
import { explainListenFault } from './listen-fault.ts'
import type { LocalConfig } from './local-config.ts'
import { probeHealth } from './processes/health-probe.ts'
import { serveGrpc } from './processes/serve-grpc.ts'
import { secretKey } from './secret-key.ts'
import { serveMetrics } from './serve-metrics.ts'
import { calleesOf } from './services.ts'
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

/** What each `createXService` makes. */
interface Service {
  routes(router: Routes): void
  /** Its background work, until the signal ends. */
  run(signal: AbortSignal): Promise<void>
}

/** Half of the runner's 10 s: the gateway stops first, and the executor behind it has runs to hand back. */
const GATEWAY_STOP_MS = 5_000

/** Starts everything and resolves once it serves. What it starts, the runner stops. */
export async function local(config: LocalConfig, runner: Runner, log: Log, modelRunner: ModelRunner): Promise<Local> {
  const plans = loadPlans(config.plansFile, log)
  await ensureFolder('MILLHAND_DATA_DIR', config.dataDir)
  for (const { path } of config.modelFolders) await requireFolder('MILLHAND_MODELS_DIR', path)
  const health = createHealth()
  const room = new DiskRoom({ folder: config.dataDir, reserveBytes: config.diskReserveBytes, log })
  await room.look()
  runner.run('disk room', signal => room.run(clock, signal))
  const db = runner.own(openSqlite({ file: join(config.dataDir, 'millhand.db'), log, room }))
  await db.check()
  const blobs = await filesystemBlobs(join(config.dataDir, 'blobs'), room)
  const models = await loadCatalogue(config.modelFolders)
  const transport = createDirectTransport()
  const hosted: Service[] = []
  const host = (name: string, service: Service) => {
    serve(service.routes, transport)
    runner.run(name, signal => service.run(signal))
    hosted.push(service)
  }

  const owned = identityCollections(db)
  const isFirstStart = async () => !(await hasFirstAccount(owned))
  const secret = await secretKey({ dataDir: config.dataDir, configured: config.secretKey, isFirstStart })
  const cursors = createCursors(deriveSecret(secret, 'cursors'))
  const first = await ensureBootstrapKeys(config.dataDir, config.bootstrap)
  await ensureFirstAccount({ ...owned, clock }, { keys: first, plans: firstPlans(config.bootstrapPlans, plans) })
  const keySecret = deriveSecret(secret, 'api keys')
  const identity = createIdentityService({ ...owned, plans, cursors, keySecret, clock, log, replicas: singleReplica })
  host('identity', identity)
  host('status', createStatusService({ db, clock, log }))

  const { allow, targetFault } = webhookTargets(config.webhookAllow)
  const { compute, files } = computeOn(db, {
    blobs,
    models,
    plans,
    targetFault,
    cursors,
    streamTokenSecret: deriveSecret(secret, 'stream-tokens'),
    clock,
    log,
    replicas: singleReplica,
    onRing: () => {},
    retentionMs: config.retentionMs,
    pricePerSecondMicros: config.cpuSecondMicros,
    quotaBytes: config.storageQuotaBytes,
  })
  host('files', files)
  host('compute', compute)

  const events = sqliteEventLog(db)
  const billing = createBillingService({
    db,
    events,
    clock,
    log,
    entriesKeptMs: config.usageEntriesKeptMs,
  })
  host('billing', billing)

  const metrics = createMetrics(log)
  const resolver = runner.own(createResolver({ clock }), 'resolver')
  const webhook = createWebhookService({
    db,
    events,
    dial: runner.own(createDialer({ allow, resolver, clock }), 'dialer'),
    targetFault,
    cursors,
    sealingKey: deriveSecret(secret, 'webhook secrets'),
    clock,
    log,
    metrics,
  })
  host('webhook', webhook)
  const tails = async () => ({ webhooks: await webhook.offset() })
  runner.run('event retention', signal => {
    const topics = { ...billing.topics, ...webhook.topics }
    return trimEvents({ db, retentionMs: config.retentionMs, tails, topics, clock, log }, signal)
  })

  const workforce = createWorkforceService({
    employees: readCatalogue(),
    db,
    blobs,
    files: createClient(FileService, transport),
    taskFiles: createClient(TaskFileService, transport),
    quota: createClient(QuotaService, transport),
    usage: createClient(WorkforceUsageService, transport),
    plans,
    targetFault,
    cursors,
    streamTokenSecret: deriveSecret(secret, 'workforce stream-tokens'),
    clock,
    log,
    replicas: singleReplica,
    onRing: () => {},
    retentionMs: config.retentionMs,
    pricePerSecondMicros: config.cpuSecondMicros,
    ...config.offered,
  })
  host('workforce', workforce)
  // Its leases are asked for as compute's are, so they have a way of their own.
  const workforceLeases = createDirectTransport()
  serve(workforce.ownRoutes, workforceLeases)

  const executors = await createExecutors({
    leases: createClient(LeaseService, transport),
    workforceLeases: createClient(LeaseService, workforceLeases),
    engines: config.engines,
    own: runner.own,
    runner: modelRunner,
    models,
    slots: config.executorSlots,
    sandbox: config.sandbox,
    memoryLimitBytes: config.modelsMemoryBytes,
    clock,
    log,
  })
  for (const [name, executor] of executors) runner.run(name, signal => executor.run(signal))

  const optionalHealth = createHealth()
  const gateway = runner.own(
    createGateway({
      services: publicServices,
      transport,
      identity: createClient(IdentityService, transport),
      idempotency: createClient(IdempotencyService, transport),
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
  runner.run('store', signal => probeHealth('store', health, () => db.ping(), signal))
  const grpc = await serveGrpc({
    grpc: config.grpc,
    trusted: [createCredentialsIssuer(secret).publicKey],
    tls: undefined,
    transport,
    routes(router) {
      for (const service of hosted) service.routes(router)
    },
    health,
    runner,
    log,
  })
  runner.onDrain(() => gateway.drain())
  const { url } = await explainListenFault('MILLHAND_HTTP_ADDR', gateway.listen())
  for (const model of models.list())
    if (model.status === 'broken') log.warn('model.broken', { model: model.id, problem: model.problem })
  return { url, grpc, metrics: await serveMetrics(config.metrics, { metrics, runner, log }), keys: first, models }
}
