/** The gateway: REST in, calls to identity and compute out. Any number of replicas; it keeps nothing. */
import { createClient } from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { createGateway } from '@millhand/gateway'
import { systemClock as clock, configuration, createHealth } from '@millhand/runner'
import { naming } from '../naming.ts'
import { defineProcess } from '../process.ts'
import { pick, variables } from '../variables.ts'
import { reach, trusted, trustedCaller } from './between.ts'

export const gatewayVariables = configuration(
  {
    ...trusted,
    ...pick('MILLHAND_HTTP_ADDR', 'MILLHAND_IDENTITY_URL', 'MILLHAND_COMPUTE_URL', 'MILLHAND_LOG_LEVEL'),
  },
  Object.keys(variables),
)

export const gateway = defineProcess(config, async (config, runner, log) => {
  const health = createHealth()
  const to = (service: string, urls: readonly string[]) => reach(service, urls, config.caller, runner, log, health)
  const gateway = createGateway({
    services: [ComputeService],
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
  return {
    caller: trustedCaller('gateway', set),
    http: set.MILLHAND_HTTP_ADDR,
    identityUrls: set.MILLHAND_IDENTITY_URL,
    computeUrls: set.MILLHAND_COMPUTE_URL,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
