/** Identity: whose key it is, on MongoDB. Any number of replicas. */
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import {
  type BootstrapKeys,
  createIdentityService,
  ensureBootstrapKeys,
  type KeyRecord,
  keysSpec,
} from '@millhand/identity'
import { createDirectTransport, serve } from '@millhand/rpc'
import { reportFailures } from '@millhand/rpc/network'
import { ConfigurationError, systemClock as clock, configuration, createHealth } from '@millhand/runner'
import { openMongo } from '@millhand/store/mongo'
import { bootstrapKeys } from '../config-parts.ts'
import { defineProcess } from '../process.ts'
import { pick, variables } from '../variables.ts'
import { calledVariables, tlsOf } from './caller.ts'
import { serveProcess } from './serve-process.ts'
import { untilItWorks, watchHealth } from './watch-health.ts'

export const identityVariables = configuration(
  {
    ...calledVariables,
    ...pick(
      'MILLHAND_GRPC_ADDR',
      'MILLHAND_MONGO_URL',
      'MILLHAND_BOOTSTRAP_KEY',
      'MILLHAND_BOOTSTRAP_TEST_KEY',
      'MILLHAND_LOG_LEVEL',
    ),
  },
  Object.keys(variables),
)

export const identity = defineProcess(config, async (config, runner, log) => {
  const health = createHealth()
  health.set('store', false, 'not connected')
  const db = runner.own(openMongo({ url: config.mongoUrl, log }), 'store')
  const keys = db.collection<KeyRecord, 'by_sha256'>(keysSpec)
  const service = createIdentityService({ keys })
  const transport = createDirectTransport({ interceptors: [reportFailures(log)] })
  serve(service.routes, transport)
  const grpc = await serveProcess({
    ...config,
    services: [IdentityService],
    transport,
    routes: service.routes,
    health,
    runner,
    log,
  })
  runner.run('store', async signal => {
    await db.prepare(signal)
    const { bootstrap } = config
    if (bootstrap) await untilItWorks(() => ensureBootstrapKeys({ keys, clock }, bootstrap), signal, log)
    await watchHealth('store', health, () => db.ping(), signal)
  })
  return { addresses: { grpc }, health }
})

function config(env: NodeJS.ProcessEnv) {
  const set = identityVariables(env)
  return {
    trusted: set.MILLHAND_TRUSTED_KEYS,
    tls: tlsOf(set),
    grpc: set.MILLHAND_GRPC_ADDR,
    mongoUrl: set.MILLHAND_MONGO_URL,
    bootstrap: bootstrapOf(set),
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}

/** Without them an operator makes the first account: `pnpm serve first-account`. */
function bootstrapOf(set: Parameters<typeof bootstrapKeys>[0]): BootstrapKeys | undefined {
  const { live, test } = bootstrapKeys(set)
  if (live !== undefined && test !== undefined) return { live, test }
  if (live === undefined && test === undefined) return undefined
  throw new ConfigurationError(['MILLHAND_BOOTSTRAP_KEY and MILLHAND_BOOTSTRAP_TEST_KEY must be set together.'])
}
