/** `pnpm serve all --distributed`: every service as a process of its own on this machine, to try it out. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Address, systemClock as clock, configuration, createHealth } from '@millhand/process'
import { createCredentialsIssuer } from '@millhand/rpc/network'
import { type FileLock, lockFile } from '@millhand/store/sqlite'
import { ensureBootstrapKeys } from '../bootstrap-keys.ts'
import { bootstrapKeys } from '../config-parts.ts'
import { ensureFolder } from '../folders.ts'
import { defineProcess } from '../process.ts'
import { secretKey } from '../secret-key.ts'
import { urlVariable } from '../service-urls.ts'
import { calleesOf, type ServiceName, services, startSteps } from '../services.ts'
import { storeFault } from '../store-fault.ts'
import { type ProcessSpec, supervise } from '../supervisor.ts'
import { pick, variables } from '../variables.ts'
import { credentialsOf } from './credentials.ts'
import { loadProcess } from './load-process.ts'

const allVariables = configuration(
  {
    ...pick(
      'MILLHAND_HTTP_ADDR',
      'MILLHAND_GRPC_ADDR',
      'MILLHAND_METRICS_ADDR',
      'MILLHAND_DATA_DIR',
      'MILLHAND_MONGO_URL',
      'MILLHAND_KAFKA_BROKERS',
      'MILLHAND_BOOTSTRAP_KEY',
      'MILLHAND_BOOTSTRAP_TEST_KEY',
      'MILLHAND_SECRET_KEY',
      'MILLHAND_LOG_LEVEL',
    ),
    // One machine, stopped as a whole: nothing else would serve while it drains.
    MILLHAND_DRAIN_SECONDS: { ...variables.MILLHAND_DRAIN_SECONDS, default: '0' },
  },
  Object.keys(variables),
)

export const all = defineProcess(allVariables, config, async (config, runner, log) => {
  const { dataDir, secretKey: configured } = config
  await ensureFolder('MILLHAND_DATA_DIR', dataDir)
  const isUsed = existsSync(`${lockedFile(dataDir)}.lock`)
  const lock = lockFolder(dataDir)
  runner.own({ close: () => lock.release() }, 'data folder')
  const secret = await secretKey({ dataDir, configured, isFirstStart: async () => !isUsed })
  const keys = await ensureBootstrapKeys(dataDir, config.bootstrap)
  const issuer = createCredentialsIssuer(secret)
  const special: Partial<Record<ServiceName, Record<string, string>>> = {
    identity: { MILLHAND_BOOTSTRAP_KEY: keys.live, MILLHAND_BOOTSTRAP_TEST_KEY: keys.test },
    compute: { MILLHAND_GRPC_ADDR: written(config.grpc) },
    webhook: { MILLHAND_METRICS_ADDR: written(config.webhookMetrics) },
  }
  const served = new Map<ServiceName, Served>()
  const begin = async (name: ServiceName): Promise<void> => {
    const { variables: read } = await loadProcess(name)
    const reads = new Set(read.describe().map(each => each.name))
    // The gateway stops first, so no call comes to the others any more.
    const drainMs = name === 'gateway' ? config.drainMs : 0
    const env: Record<string, string> = {
      ...without(reads),
      ...credentialsOf(issuer, name),
      MILLHAND_DRAIN_SECONDS: String(drainMs / 1_000),
      ...(reads.has('MILLHAND_METRICS_ADDR') && { MILLHAND_METRICS_ADDR: '127.0.0.1:0' }),
      ...(reads.has('MILLHAND_GRPC_ADDR') && { MILLHAND_GRPC_ADDR: '127.0.0.1:0' }),
      ...Object.fromEntries(calleesOf(name).map(callee => [urlVariable(callee), served.get(callee)?.grpc as string])),
      ...special[name],
    }
    const spec: ProcessSpec = { name, words: ['--disable-warning=ExperimentalWarning', SERVE, name], env }
    const graceMs = services[name].stopMs + drainMs
    const process = runner.own(supervise(spec, { clock, log, graceMs }), name)
    const at = (await process.ready) as unknown as Served
    // Its next life is where the others look for it.
    if (at.grpc) env.MILLHAND_GRPC_ADDR = new URL(at.grpc).host
    if (at.metrics) env.MILLHAND_METRICS_ADDR = new URL(at.metrics).host
    if (at.http) env.MILLHAND_HTTP_ADDR = new URL(at.http).host
    served.set(name, at)
  }
  for (const step of startSteps()) await Promise.all(step.map(begin))
  const health = createHealth()
  health.set('processes', true)
  const addresses = {
    http: served.get('gateway')?.http as string,
    grpc: served.get('compute')?.grpc as string,
    identity: served.get('identity')?.grpc as string,
    billing: served.get('billing')?.grpc as string,
    metrics: served.get('webhook')?.metrics as string,
  }
  return { addresses, health }
})

/** Empties what our own environment has and a service does not read: the database is not for executors. */
function without(reads: ReadonlySet<string>): Record<string, string> {
  // One address of metrics is for one process, which is told it.
  const others = Object.keys(variables).filter(name => name === 'MILLHAND_METRICS_ADDR' || !reads.has(name))
  return Object.fromEntries(others.map(name => [name, '']))
}

const lockedFile = (dataDir: string) => join(dataDir, 'processes')

/** Two of these on one data folder would start each process twice, with the same keys. */
function lockFolder(dataDir: string): FileLock {
  try {
    return lockFile(lockedFile(dataDir))
  } catch (error) {
    throw storeFault(error, dataDir)
  }
}

/** What a ready line says. */
interface Served {
  readonly http: string
  readonly grpc: string
  readonly metrics: string
}

const SERVE = fileURLToPath(new URL('../serve.ts', import.meta.url))

const written = ({ host, port }: Address) => `${host.includes(':') ? `[${host}]` : host}:${port}`

function config(set: ReturnType<typeof allVariables>) {
  return {
    dataDir: set.MILLHAND_DATA_DIR,
    grpc: set.MILLHAND_GRPC_ADDR,
    webhookMetrics: set.MILLHAND_METRICS_ADDR,
    bootstrap: bootstrapKeys(set),
    secretKey: set.MILLHAND_SECRET_KEY?.reveal(),
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
