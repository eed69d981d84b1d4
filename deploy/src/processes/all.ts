/** `pnpm serve all --distributed`: every service as a process of its own on this machine, to try it out. */

import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { grants, mintServiceToken } from '@millhand/rpc/network'
import { systemClock as clock, configuration, createHealth } from '@millhand/runner'
import { type FileLock, lockFile } from '@millhand/store/sqlite'
import { bootstrapKeys } from '../config-parts.ts'
import { firstKeys } from '../first-keys.ts'
import { ensureFolder } from '../folders.ts'
import type { Process } from '../process.ts'
import { secretKey } from '../secret-key.ts'
import { storeFault } from '../store-fault.ts'
import { type ProcessSpec, supervise } from '../supervisor.ts'
import { pick, variables } from '../variables.ts'

const read = configuration(
  pick(
    'MILLHAND_HTTP_ADDR',
    'MILLHAND_GRPC_ADDR',
    'MILLHAND_DATA_DIR',
    'MILLHAND_MONGO_URL',
    'MILLHAND_KAFKA_BROKERS',
    'MILLHAND_BOOTSTRAP_KEY',
    'MILLHAND_BOOTSTRAP_TEST_KEY',
    'MILLHAND_SECRET_KEY',
    'MILLHAND_LOG_LEVEL',
  ),
  Object.keys(variables),
)

/** From last to first they are stopped: whoever asks goes before whoever answers. */
const GRACE_MS = { identity: 3_000, compute: 6_000, executor: 5_000, gateway: 6_000 } as const

export const all: Process<ReturnType<typeof config>> = {
  config,
  async start(config, runner, log) {
    await ensureFolder('MILLHAND_DATA_DIR', config.dataDir)
    const lock = lockFolder(config.dataDir)
    runner.own({ close: () => lock.release() }, 'data folder')
    const keys = await firstKeys(config.dataDir, config.bootstrap)
    const secret = await secretKey(config.dataDir, config.secretKey)
    const identityPort = await freePort()
    const executorPort = await freePort()
    const computePort = config.grpc.port || (await freePort())
    const shared = {
      MILLHAND_SECRET_KEY: secret.toString(),
      MILLHAND_IDENTITY_URL: `http://127.0.0.1:${identityPort}`,
      MILLHAND_COMPUTE_URL: `http://${urlHost(config.grpc.host)}:${computePort}`,
    }
    const specs: Record<keyof typeof GRACE_MS, Record<string, string>> = {
      identity: {
        ...shared,
        MILLHAND_GRPC_ADDR: `127.0.0.1:${identityPort}`,
        MILLHAND_BOOTSTRAP_KEY: keys.live,
        MILLHAND_BOOTSTRAP_TEST_KEY: keys.test,
      },
      compute: { ...shared, MILLHAND_GRPC_ADDR: `${urlHost(config.grpc.host)}:${computePort}` },
      executor: {
        ...shared,
        MILLHAND_SERVICE_TOKEN: mintServiceToken(secret, grants.executor),
        // It runs what others send in: nothing of the rest is for it.
        MILLHAND_SECRET_KEY: '',
        MILLHAND_MONGO_URL: '',
        MILLHAND_BOOTSTRAP_KEY: '',
        MILLHAND_BOOTSTRAP_TEST_KEY: '',
        MILLHAND_GRPC_ADDR: `127.0.0.1:${executorPort}`,
      },
      gateway: shared,
    }
    const started = Object.entries(specs).map(([name, env]) => {
      const spec: ProcessSpec = { name, words: ['--disable-warning=ExperimentalWarning', SERVE, name], env }
      return runner.own(supervise(spec, { clock, log, graceMs: GRACE_MS[name as keyof typeof GRACE_MS] }), name)
    })
    const lines = await Promise.all(started.map(process => process.ready))
    const health = createHealth()
    health.set('processes', true)
    const said = Object.assign({}, ...lines)
    return { addresses: { http: said.http, grpc: shared.MILLHAND_COMPUTE_URL }, health }
  },
}

/** Two of these on one data folder would start each process twice, with the same keys. */
function lockFolder(dataDir: string): FileLock {
  try {
    return lockFile(join(dataDir, 'processes'))
  } catch (error) {
    throw storeFault(error, dataDir)
  }
}

const SERVE = fileURLToPath(new URL('../serve.ts', import.meta.url))

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host)

/** A port that nobody listens on now, below those that the kernel hands out. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ])
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

function config(env: NodeJS.ProcessEnv) {
  const set = read(env)
  return {
    dataDir: set.MILLHAND_DATA_DIR,
    grpc: set.MILLHAND_GRPC_ADDR,
    bootstrap: bootstrapKeys(set),
    secretKey: set.MILLHAND_SECRET_KEY?.reveal(),
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
