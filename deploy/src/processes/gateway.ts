/** The gateway: REST in, calls to services out. Any number of replicas; it keeps nothing. */
import { createClient } from '@connectrpc/connect'
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import { ApiKeyService } from '@millhand/api/gen/millhand/identity/v1/api_key_service_pb.ts'
import { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { RateService } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { BacklogService } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import { EventService } from '@millhand/api/gen/millhand/webhook/v1/event_service_pb.ts'
import { WebhookService } from '@millhand/api/gen/millhand/webhook/v1/webhook_service_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import { createGateway, publicServices, sharedLimiter } from '@millhand/gateway'
import { routeByService } from '@millhand/rpc'
import { systemClock as clock, configuration, createHealth } from '@millhand/runner'
import { accountLimitsOf } from '../config-parts.ts'
import { naming } from '../naming.ts'
import { defineProcess } from '../process.ts'
import { pick, variables } from '../variables.ts'
import { watchDeliveries } from '../watch-deliveries.ts'
import { reach } from './between.ts'
import { callerOf, requireHttps, signingVariables } from './caller.ts'
import { watchToken } from './watch-token.ts'

export const gatewayVariables = configuration(
  {
    ...signingVariables,
    ...pick(
      'MILLHAND_HTTP_ADDR',
      'MILLHAND_IDENTITY_URL',
      'MILLHAND_COMPUTE_URL',
      'MILLHAND_WORKFORCE_URL',
      'MILLHAND_BILLING_URL',
      'MILLHAND_WEBHOOK_URL',
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

export const gateway = defineProcess(config, async (config, runner, log) => {
  const health = createHealth()
  runner.run('token', signal => watchToken(config.caller.expiresAt, { clock, log, health }, signal))
  const to = (service: string, urls: readonly string[]) => reach(service, urls, config.caller, runner, log, health)
  const identity = to('identity', config.identityUrls)
  // Without them only their own calls fail, so a gateway is ready without them.
  const besides = createHealth()
  const besidesTo = (service: string, urls: readonly string[]) =>
    reach(service, urls, config.caller, runner, log, besides)
  const webhook = besidesTo('webhook', config.webhookUrls)
  const backlog = createClient(BacklogService, webhook)
  runner.run('deliveries', signal => watchDeliveries({ backlog, health: besides, clock }, signal))
  const limiter = sharedLimiter({ rates: createClient(RateService, identity), clock, log })
  runner.run('rates', signal => limiter.run(signal))
  const gateway = createGateway({
    services: publicServices,
    transport: routeByService([
      [to('compute', config.computeUrls), [ComputeService, FileService, StreamTokenService]],
      [identity, [ApiKeyService]],
      [besidesTo('workforce', config.workforceUrls), [WorkforceService]],
      [besidesTo('billing', config.billingUrls), [UsageService]],
      [webhook, [WebhookService, EventService]],
    ]),
    identity: createClient(IdentityService, identity),
    idempotency: createClient(IdempotencyService, identity),
    limiter,
    status: createClient(StatusService, identity),
    publicUrl: config.publicUrl,
    securityContact: config.securityContact,
    health,
    besides,
    log,
    clock,
    http: config.http,
    limits: { stopMs: STOP_MS, ...config.accountLimits },
  })
  runner.own(gateway, 'gateway')
  runner.onDrain(() => gateway.drain())
  const { url } = await naming('MILLHAND_HTTP_ADDR', gateway.listen())
  return { addresses: { http: url }, health }
})

const STOP_MS = 5_000

function config(env: NodeJS.ProcessEnv) {
  const set = gatewayVariables(env)
  const caller = callerOf('gateway', set)
  const { MILLHAND_IDENTITY_URL, MILLHAND_COMPUTE_URL, MILLHAND_WORKFORCE_URL } = set
  const { MILLHAND_BILLING_URL, MILLHAND_WEBHOOK_URL } = set
  const others = { MILLHAND_BILLING_URL, MILLHAND_WEBHOOK_URL }
  const urls = { MILLHAND_IDENTITY_URL, MILLHAND_COMPUTE_URL, MILLHAND_WORKFORCE_URL, ...others }
  requireHttps(caller.tls, urls)
  return {
    caller,
    http: set.MILLHAND_HTTP_ADDR,
    identityUrls: MILLHAND_IDENTITY_URL,
    computeUrls: MILLHAND_COMPUTE_URL,
    workforceUrls: MILLHAND_WORKFORCE_URL,
    billingUrls: MILLHAND_BILLING_URL,
    webhookUrls: MILLHAND_WEBHOOK_URL,
    drainMs: set.MILLHAND_DRAIN_SECONDS * 1_000,
    accountLimits: accountLimitsOf(set),
    publicUrl: set.MILLHAND_PUBLIC_URL,
    securityContact: set.MILLHAND_SECURITY_CONTACT,
    logLevel: set.MILLHAND_LOG_LEVEL,
  }
}
