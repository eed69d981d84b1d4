/** Identity: whose key it is, on MongoDB. Any number of replicas. */
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { createIdentityService, ensureBootstrapKeys, type KeyRecord, keysSpec } from '@millhand/identity'
import { createDirectTransport, serve } from '@millhand/rpc'
import { reportFailures } from '@millhand/rpc/network'
import { systemClock as clock, configuration, createHealth } from '@millhand/runner'
import { openMongo } from '@millhand/store/mongo'
import { defineProcess } from '../process.ts'
import { pick, required, variables } from '../variables.ts'
import { tlsOf, trusted } from './between.ts'
import { serveProcess } from './serve-process.ts'
import { untilItWorks, watchHealth } from './watch-health.ts'

export const identityVariables = configuration(
  {
    ...trusted,
    ...pick('MILLHAND_GRPC_ADDR', 'MILLHAND_MONGO_URL', 'MILLHAND_LOG_LEVEL'),
    MILLHAND_BOOTSTRAP_KEY: required(variables.MILLHAND_BOOTSTRAP_KEY),
    MILLHAND_BOOTSTRAP_TEST_KEY: required(variables.MILLHAND_BOOTSTRAP_TEST_KEY),
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
    await untilItWorks(() => ensureBootstrapKeys({ keys, clock }, config.bootstrap), signal, log)
    await watchHealth('store', health, () => db.ping(), signal)
  })
  return { addresses: { grpc }, health }
})

function config(env: NodeJS.ProcessEnv) {
  const set = identityVariables(env)
  return {
    secret: Buffer.from(set.MILLHAND_SECRET_KEY.reveal()),
    tls: tlsOf(set),
    grpc: set.MILLHAND_GRPC_ADDR,
    mongoUrl: set.MILLHAND_MONGO_URL,
    bootstrap: { live: set.MILLHAND_BOOTSTRAP_KEY.reveal(), test: set.MILLHAND_BOOTSTRAP_TEST_KEY.reveal() },
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
