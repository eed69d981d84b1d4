/** Everything in one process, on SQLite. */
import { join } from 'node:path'
import { createClient } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { createComputeService, onlyReplica, type TaskRecord, tasksSpec } from '@millhand/compute'
import { createFileService, fileCollections } from '@millhand/compute/files'
import { createExecutor, type ModelRunner } from '@millhand/executor'
import { createGateway } from '@millhand/gateway'
import { createIdentityService, ensureBootstrapKeys, type KeyRecord, keysSpec } from '@millhand/identity'
import { type Catalogue, loadCatalogue } from '@millhand/model'
import { createDirectTransport, serve } from '@millhand/rpc'
import { createCredentialsIssuer, deriveSecret } from '@millhand/rpc/network'
import { systemClock as clock, createHealth, everyInterval, type Runner } from '@millhand/runner'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import type { Log } from '@millhand/telemetry'
import { type FirstKeys, firstKeys } from './first-keys.ts'
import { ensureFolder, requireFolder } from './folders.ts'
import type { LocalConfig } from './local-config.ts'
import { naming } from './naming.ts'
import { serveProcess } from './processes/serve-process.ts'
import { secretKey } from './secret-key.ts'

export interface Local {
  /** Where REST is served. */
  readonly url: string
  /** Where gRPC is served. */
  readonly grpc: string
  readonly keys: FirstKeys
  readonly models: Catalogue
}

/** Half of the runner's 10 s: the gateway stops first, and the executor behind it has runs to hand back. */
const GATEWAY_STOP_MS = 5_000

/** Starts everything and resolves once it serves. What it starts, the runner stops. */
export async function local(config: LocalConfig, runner: Runner, log: Log, modelRunner: ModelRunner): Promise<Local> {
  await ensureFolder('MILLHAND_DATA_DIR', config.dataDir)
  for (const { path } of config.modelFolders) await requireFolder('MILLHAND_MODELS_DIR', path)
  const health = createHealth()
  const db = runner.own(openSqlite({ file: join(config.dataDir, 'millhand.db') }))
  runner.run('event retention', signal => trimEvents(db, config.retentionMs, log, signal))
  const blobs = await filesystemBlobs(join(config.dataDir, 'blobs'))
  const models = await loadCatalogue(config.modelFolders)
  const transport = createDirectTransport()

  const keys = db.collection<KeyRecord, 'by_sha256'>(keysSpec)
  const first = await firstKeys(config.dataDir, config.bootstrap)
  await ensureBootstrapKeys({ keys, clock }, first)
  const identity = createIdentityService({ keys })
  serve(identity.routes, transport)

  const secret = await secretKey(config.dataDir, config.secretKey)
  const cursors = createCursors(deriveSecret(secret, 'cursors'))
  const compute = createComputeService({
    tasks: db.collection<TaskRecord, 'ready' | 'due'>(tasksSpec),
    blobs,
    models,
    cursors,
    clock,
    log,
    replicas: onlyReplica,
    onRing: () => {},
    retentionMs: config.retentionMs,
    pricePerSecondMicros: config.cpuSecondMicros,
  })
  serve(compute.routes, transport)
  runner.run('compute', signal => compute.run(signal))

  const files = createFileService({
    ...fileCollections(db),
    blobs,
    cursors,
    clock,
    log,
    quotaBytes: config.storageQuotaBytes,
  })
  serve(files.routes, transport)
  runner.run('files', signal => files.run(signal))

  if (config.executorSlots > 0) {
    const executor = createExecutor({
      leases: createClient(LeaseService, transport),
      runner: modelRunner,
      models,
      pool: 'live/onnx',
      slots: config.executorSlots,
      memoryLimitBytes: config.modelsMemoryBytes,
      clock,
      log,
    })
    runner.run('executor', signal => executor.run(signal))
  }

  const gateway = runner.own(
    createGateway({
      services: [ComputeService, FileService],
      transport,
      identity: createClient(IdentityService, transport),
      health,
      log,
      clock,
      http: config.http,
      limits: { stopMs: GATEWAY_STOP_MS },
    }),
  )
  health.set('store', true)
  const grpc = await serveProcess({
    grpc: config.grpc,
    trusted: [createCredentialsIssuer(secret).publicKey],
    tls: undefined,
    services: [IdentityService, ComputeService, FileService, LeaseService],
    transport,
    routes(router) {
      identity.routes(router)
      compute.routes(router)
      files.routes(router)
    },
    health,
    runner,
    log,
  })
  const { url } = await naming('MILLHAND_HTTP_ADDR', gateway.listen())
  for (const model of models.list())
    if (model.status === 'broken') log.warn('model.broken', { model: model.id, problem: model.problem })
  return { url, grpc, keys: first, models }
}

/** Events are kept as long as the tasks that they are about. */
async function trimEvents(db: SqliteDatabase, retentionMs: number, log: Log, signal: AbortSignal): Promise<void> {
  await everyInterval(clock, TRIM_EVERY_MS, signal, async () => {
    try {
      const events = await db.trimEvents(clock.now() - retentionMs)
      if (events > 0) log.info('events.trimmed', { events })
    } catch (error) {
      log.error('events.trim_failed', { error })
    }
  })
}

const TRIM_EVERY_MS = 3_600_000
