/** The gateway: REST in, calls to services out. Any number of replicas; it keeps nothing. */
import { createClient } from '@connectrpc/connect'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { RateService } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { BacklogService } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import { createGateway, publicServices, sharedLimiter } from '@millhand/gateway'
import { systemClock as clock, configuration, createHealth } from '@millhand/process'
import { routeByService } from '@millhand/rpc'
import { accountLimitsOf } from '../config-parts.ts'
import { watchDeliveryHealth } from '../delivery-health.ts'
import { explainListenFault } from '../listen-fault.ts'
import { defineProcess } from '../process.ts'
import { urlVariablesOf } from '../service-urls.ts'
import { calleesOf, services } from '../services.ts'
import { metricsVariables, pick, variables } from '../variables.ts'
import { ownCredentialsOf, signingVariables } from './own-credentials.ts'
import { addressesOf, connectServices } from './service-clients.ts'
import { watchTokenExpiry } from './token-expiry.ts'

const gatewayVariables = configuration(
  {
    ...signingVariables,
    ...pick('MILLHAND_HTTP_ADDR'),
    ...metricsVariables,
    ...urlVariablesOf('gateway'),
    ...pick(
      'MILLHAND_MAX_STREAMS',
      'MILLHAND_DRAIN_SECONDS',
      'MILLHAND_MAX_WAITS',
      'MILLHAND_MAX_REQUESTS',
      'MILLHAND_MAX_BODY_MB',
      'MILLHAND_PUBLIC_URL',
      'MILLHAND_SECURITY_CONTACT',
      'MILLHAND_LOG_LEVEL',
    ),
  },
  Object.keys(variables),
)

export const gateway = defineProcess(gatewayVariables, config, async (config, runner, log) => {
  const health = createHealth()
  runner.run('token', signal => watchTokenExpiry(config.caller.expiresAt, { clock, log, health }, signal))
  const optionalHealth = createHealth()
  const { caller } = config
  const connections = connectServices('gateway', config.addresses, { caller, runner, log, health, optionalHealth })
  const backlog = createClient(BacklogService, connections.webhook)
  runner.run('deliveries', signal => watchDeliveryHealth({ backlog, health: optionalHealth, clock }, signal))
  const limiter = sharedLimiter({ rates: createClient(RateService, connections.identity), clock, log })
  runner.run('rates', signal => limiter.run(signal))
  const gateway = createGateway({
    services: publicServices,
    transport: routeByService(calleesOf('gateway').map(name => [connections[name], services.gateway.calls[name]])),
    identity: createClient(IdentityService, connections.identity),
    idempotency: createClient(IdempotencyService, connections.identity),
    billing: createClient(BillingService, connections.billing),
    limiter,
    status: createClient(StatusService, connections.identity),
    publicUrl: config.publicUrl,
    securityContact: config.securityContact,
    health,
    optionalHealth,
    log,
    clock,
    http: config.http,
    limits: { stopMs: STOP_MS, ...config.accountLimits },
  })
  runner.own(gateway, 'gateway')
  runner.onDrain(() => gateway.drain())
  const { url } = await explainListenFault('MILLHAND_HTTP_ADDR', gateway.listen())
  return { addresses: { http: url }, health }
})

const STOP_MS = 5_000

function config(set: ReturnType<typeof gatewayVariables>) {
  const caller = ownCredentialsOf('gateway', set)
  return {
    caller,
    http: set.MILLHAND_HTTP_ADDR,
    metrics: set.MILLHAND_METRICS_ADDR,
    addresses: addressesOf('gateway', set, caller.tls),
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    accountLimits: accountLimitsOf(set),
    publicUrl: set.MILLHAND_PUBLIC_URL,
    securityContact: set.MILLHAND_SECURITY_CONTACT,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
