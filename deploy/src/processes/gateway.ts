/** The gateway: REST in, calls to identity and compute out. Any number of replicas; it keeps nothing. */
import { createClient } from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { createGateway } from '@millhand/gateway'
import { systemClock as clock, configuration, createHealth } from '@millhand/runner'
import { naming } from '../naming.ts'
import { defineProcess } from '../process.ts'
import { pick, variables } from '../variables.ts'
import { reach } from './between.ts'
import { callerOf, requireHttps, signingVariables } from './caller.ts'
import { watchToken } from './watch-token.ts'

export const gatewayVariables = configuration(
  {
    ...signingVariables,
    ...pick('MILLHAND_HTTP_ADDR', 'MILLHAND_IDENTITY_URL', 'MILLHAND_COMPUTE_URL', 'MILLHAND_LOG_LEVEL'),
  },
  Object.keys(variables),
)

export const gateway = defineProcess(config, async (config, runner, log) => {
  const health = createHealth()
  runner.run('token', signal => watchToken(config.caller.expiresAt, { clock, log, health }, signal))
  const to = (service: string, urls: readonly string[]) => reach(service, urls, config.caller, runner, log, health)
  const gateway = createGateway({
    services: [ComputeService, FileService],
    transport: to('compute', config.computeUrls),
    identity: createClient(IdentityService, to('identity', config.identityUrls)),
    health,
    log,
    clock,
    http: config.http,
    limits: { stopMs: STOP_MS },
  })
  runner.own(gateway, 'gateway')
  const { url } = await naming('MILLHAND_HTTP_ADDR', gateway.listen())
  return { addresses: { http: url }, health }
})

const STOP_MS = 5_000

function config(env: NodeJS.ProcessEnv) {
  const set = gatewayVariables(env)
  const caller = callerOf('gateway', set)
  const { MILLHAND_IDENTITY_URL: identityUrls, MILLHAND_COMPUTE_URL: computeUrls } = set
  requireHttps(caller.tls, { MILLHAND_IDENTITY_URL: identityUrls, MILLHAND_COMPUTE_URL: computeUrls })
  return {
    caller,
    http: set.MILLHAND_HTTP_ADDR,
    identityUrls,
    computeUrls,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
