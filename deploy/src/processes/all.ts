/** `pnpm serve all --distributed`: every service as a process of its own on this machine, to try it out. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCredentialsIssuer } from '@millhand/rpc/network'
import { type Address, systemClock as clock, configuration, createHealth } from '@millhand/runner'
import { type FileLock, lockFile } from '@millhand/store/sqlite'
import { bootstrapKeys } from '../config-parts.ts'
import { firstKeys } from '../first-keys.ts'
import { ensureFolder } from '../folders.ts'
import { defineProcess } from '../process.ts'
import { secretKey } from '../secret-key.ts'
import { storeFault } from '../store-fault.ts'
import { type ProcessSpec, supervise } from '../supervisor.ts'
import { pick, variables } from '../variables.ts'
import { billingVariables } from './billing.ts'
import { computeVariables } from './compute.ts'
import { credentialsOf } from './credentials.ts'
import { executorVariables } from './executor.ts'
import { gatewayVariables } from './gateway.ts'
import { identityVariables } from './identity.ts'
import { webhookVariables } from './webhook.ts'
import { workforceVariables } from './workforce.ts'

const read = configuration(
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

/** From last to first they are stopped: whoever asks goes before whoever answers. */
const GRACE_MS = {
  identity: 3_000,
  billing: 3_000,
  webhook: 3_000,
  compute: 6_000,
  workforce: 6_000,
  executor: 5_000,
  gateway: 6_000,
} as const

export const all = defineProcess(config, async (config, runner, log) => {
  const { dataDir, secretKey: configured } = config
  await ensureFolder('MILLHAND_DATA_DIR', dataDir)
  const isUsed = existsSync(`${lockedFile(dataDir)}.lock`)
  const lock = lockFolder(dataDir)
  runner.own({ close: () => lock.release() }, 'data folder')
  const secret = await secretKey({ dataDir, configured, isFirstStart: async () => !isUsed })
  const keys = await firstKeys(dataDir, config.bootstrap)
  const issuer = createCredentialsIssuer(secret)
  const begin = async (name: keyof typeof GRACE_MS, own: Record<string, string>): Promise<Served> => {
    // The gateway is the first that stops, so nobody comes to the others any more.
    const drainMs = name === 'gateway' ? config.drainMs : 0
    const drain = { MILLHAND_DRAIN_SECONDS: String(drainMs / 1_000) }
    const env: Record<string, string> = { ...notFor(name), ...credentialsOf(issuer, name), ...drain, ...own }
    const spec: ProcessSpec = { name, words: ['--disable-warning=ExperimentalWarning', SERVE, name], env }
    const process = runner.own(supervise(spec, { clock, log, graceMs: GRACE_MS[name] + drainMs }), name)
    const served = (await process.ready) as unknown as Served
    // Its next life is where the others look for it.
    if (served.grpc) env.MILLHAND_GRPC_ADDR = new URL(served.grpc).host
    if (served.metrics) env.MILLHAND_METRICS_ADDR = new URL(served.metrics).host
    if (served.http) env.MILLHAND_HTTP_ADDR = new URL(served.http).host
    return served
  }
  const [identity, billing, webhook, compute] = await Promise.all([
    begin('identity', {
      MILLHAND_GRPC_ADDR: '127.0.0.1:0',
      MILLHAND_BOOTSTRAP_KEY: keys.live,
      MILLHAND_BOOTSTRAP_TEST_KEY: keys.test,
    }),
    begin('billing', { MILLHAND_GRPC_ADDR: '127.0.0.1:0' }),
    begin('webhook', { MILLHAND_GRPC_ADDR: '127.0.0.1:0', MILLHAND_METRICS_ADDR: written(config.metrics) }),
    begin('compute', { MILLHAND_GRPC_ADDR: written(config.grpc) }),
  ])
  const workforce = await begin('workforce', {
    MILLHAND_IDENTITY_URL: identity.grpc,
    MILLHAND_COMPUTE_URL: compute.grpc,
    MILLHAND_BILLING_URL: billing.grpc,
    MILLHAND_GRPC_ADDR: '127.0.0.1:0',
  })
  const [, gateway] = await Promise.all([
    begin('executor', {
      MILLHAND_COMPUTE_URL: compute.grpc,
      MILLHAND_WORKFORCE_URL: workforce.grpc,
      MILLHAND_GRPC_ADDR: '127.0.0.1:0',
    }),
    begin('gateway', {
      MILLHAND_IDENTITY_URL: identity.grpc,
      MILLHAND_BILLING_URL: billing.grpc,
      MILLHAND_WEBHOOK_URL: webhook.grpc,
      MILLHAND_COMPUTE_URL: compute.grpc,
      MILLHAND_WORKFORCE_URL: workforce.grpc,
    }),
  ])
  const health = createHealth()
  health.set('processes', true)
  const { metrics } = webhook
  return { addresses: { http: gateway.http, grpc: compute.grpc, identity: identity.grpc, metrics }, health }
})

/** Empties what our own environment has and a service does not read: the database is not for executors. */
function notFor(name: keyof typeof GRACE_MS): Record<string, string> {
  const reads = new Set(readers[name].describe().map(each => each.name))
  reads.delete('MILLHAND_METRICS_ADDR') // One address is for one process, which is told it.
  const others = Object.keys(variables).filter(variable => !reads.has(variable))
  return Object.fromEntries(others.map(variable => [variable, '']))
}

const readers = {
  identity: identityVariables,
  billing: billingVariables,
  webhook: webhookVariables,
  compute: computeVariables,
  workforce: workforceVariables,
  executor: executorVariables,
  gateway: gatewayVariables,
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

function config(env: NodeJS.ProcessEnv) {
  const set = read(env)
  return {
    dataDir: set.MILLHAND_DATA_DIR,
    grpc: set.MILLHAND_GRPC_ADDR,
    metrics: set.MILLHAND_METRICS_ADDR,
    bootstrap: bootstrapKeys(set),
    secretKey: set.MILLHAND_SECRET_KEY?.reveal(),
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
