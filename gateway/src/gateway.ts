/** REST in, RPC out: every route, name and type comes from the contract. */
import type { DescService } from '@bufbuild/protobuf'
import type { Client, Transport } from '@connectrpc/connect'
import { createIds, httpRoutes, shortRoutes } from '@millhand/api'
import type { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import type { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import type { Clock, Health } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { createCallers } from './admission/callers.ts'
import { Concurrency } from './admission/concurrency.ts'
import type { RateLimiter } from './admission/rate-limit/limiter.ts'
import { createSpending, type SpendingDeps } from './admission/spending.ts'
import { createDispatch } from './dispatch.ts'
import { createIdempotency } from './idempotency/idempotency.ts'
import { changelog } from './pages/changelog/changelog.ts'
import { docs } from './pages/docs.ts'
import { errorPages } from './pages/errors/errors.ts'
import { healthChecks } from './pages/health.ts'
import { startPage } from './pages/home.ts'
import { openapi } from './pages/openapi.ts'
import { statusPage } from './pages/status/status.ts'
import { wellKnown } from './pages/well-known.ts'
import { paymentNotifications } from './payment-notifications.ts'
import { createAuthenticate } from './pipeline/authenticate.ts'
import { createWaits } from './pipeline/prefer-wait.ts'
import { routeEndpoint } from './pipeline/route-endpoint.ts'
import { createRpcServer } from './rpc/rpc-server.ts'
import { createHttpServer, type Server } from './server.ts'
import type { ServerLimits } from './server-limits.ts'
import { createComponents } from './status/components.ts'
import { createHistory } from './status/history.ts'
import { createReports } from './status/reports.ts'
import { createRequestCounts } from './status/request-counts.ts'
import { createStreams } from './streams/event-streams.ts'

export type { RateLimiter } from './admission/rate-limit/limiter.ts'
export { localLimiter } from './admission/rate-limit/local-limiter.ts'
export { type SharedLimiter, sharedLimiter } from './admission/rate-limit/shared-limiter.ts'
export { publicServices } from './public-services.ts'

export interface GatewayDeps {
  /** Whose methods are served; those without an HTTP rule are not. */
  readonly services: readonly DescService[]
  /** Reaches those services, and the one that knows stream tokens of those that do not. */
  readonly transport: Transport
  readonly identity: Client<typeof IdentityService>
  readonly idempotency: Client<typeof IdempotencyService>
  /** Knows whose creates are refused. */
  readonly billing: SpendingDeps['billing']
  /** Counts requests: here alone, or together with other gateways. */
  readonly limiter: RateLimiter
  /** Stores what this gateway observes, and returns what all gateways have observed. */
  readonly status: Client<typeof StatusService>
  /** The URI to report vulnerabilities to; undefined where the deployment names none. */
  readonly securityContact?: string | undefined
  /** The address by which callers reach this, without a slash at its end; undefined where each names it in `Host`. */
  readonly publicUrl?: string | undefined
  readonly health: Health
  /** The health of optional components: `/status` shows them, and readiness does not depend on them. */
  readonly optionalHealth?: Pick<Health, 'ready'>
  readonly log: Log
  readonly clock: Clock
  /** Port 0 takes a free one. */
  readonly http: { readonly host: string; readonly port: number }
  readonly limits?: ServerLimits & {
    /** The most bytes of an upload. */
    readonly uploadBytes?: number
    /** The most event streams that are open at once, of each account and mode. */
    readonly streams?: number
    /** The same of requests that wait, of requests in all but for streams, and of the bytes of their bodies. */
    readonly waits?: number
    readonly requests?: number
    readonly bodyBytes?: number
    /** The same of the bytes of large answers to reads. */
    readonly answerBytes?: number
    /** Milliseconds for the reader of an event stream to take something. */
    readonly streamReaderMs?: number
  }
}

export type Gateway = Server

/** Throws where a service of the contract can't be served over HTTP. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { services, transport, limiter, publicUrl, health, log, clock, http, limits } = deps
  const ids = createIds({ now: () => clock.now() })
  const callers = createCallers(deps)
  const spending = createSpending(deps)
  const waits = createWaits({ ...deps, maxWaits: limits?.waits ?? WAITS })
  const streams = createStreams({
    ...deps,
    watch: callers.watch,
    maxStreams: limits?.streams ?? STREAMS,
    readerMs: limits?.streamReaderMs ?? STREAM_READER_MS,
  })
  const pipelineDeps = {
    transport,
    clock,
    authenticate: createAuthenticate(callers),
    callers,
    limiter,
    waits,
    streams,
    idempotency: createIdempotency(deps),
    spending,
    requests: new Concurrency('requests', { perTenant: limits?.requests ?? REQUESTS, all: ALL_REQUESTS }),
    bodies: new Concurrency('bytes of bodies', { perTenant: limits?.bodyBytes ?? BODY_BYTES, all: ALL_BODY_BYTES }),
    answers: new Concurrency('bytes of unread answers', {
      perTenant: limits?.answerBytes ?? ANSWER_BYTES,
      all: ALL_ANSWER_BYTES,
    }),
    uploadBytes: limits?.uploadBytes ?? UPLOAD_BYTES,
  }
  const counts = createRequestCounts()
  const components = createComponents(deps.optionalHealth ? [health, deps.optionalHealth] : [health], clock)
  const reports = createReports({ ...deps, components, counts })
  const routes = httpRoutes(services)
  const shorts = shortRoutes(services, routes)
  const rpc = createRpcServer({ ...deps, ...pipelineDeps, routes, ids, counts })
  const endpoints = [
    ...routes.map(route => routeEndpoint(route, shorts, pipelineDeps)),
    paymentNotifications(transport),
    ...docs(),
    ...errorPages(),
    ...healthChecks(health),
    openapi(),
    startPage(),
    statusPage({ components, history: createHistory(deps.status, clock), clock }),
    changelog(),
    ...wellKnown(deps),
    ...rpc.endpoints,
  ]
  const server = createHttpServer({
    http,
    ids,
    log,
    publicUrl,
    limits,
    handle: createDispatch(endpoints, { log, counts }),
    rpc,
    onStop() {
      waits.stop()
      streams.stop()
    },
  })
  const stopping = new AbortController()
  let knowing: Promise<unknown> | undefined
  const answered = Promise.withResolvers<void>()
  let reporting: Promise<void> | undefined
  let closing: Promise<void> | undefined
  function drain() {
    // A stop is no outage: nothing is observed from here on.
    reporting ??= reports.stop(() => answered.promise)
    health.set('http', false, 'stopping')
    server.drain()
  }
  async function close() {
    drain()
    await server.close()
    answered.resolve()
    await reporting
    stopping.abort()
    await knowing
  }
  return {
    async listen() {
      const where = await server.listen()
      knowing = Promise.all([callers.run(stopping.signal), spending.run(stopping.signal)])
      health.set('http', true)
      reports.start()
      return where
    },
    hasRequestWithin: server.hasRequestWithin,
    drain,
    close() {
      closing ??= close()
      return closing
    },
  }
}

const STREAMS = 5_000
const WAITS = 1_000
const REQUESTS = 2_000
const ALL_REQUESTS = 20_000
/** 64 MiB and 512 MiB. */
const BODY_BYTES = 67_108_864
const ALL_BODY_BYTES = 536_870_912
/** The same. */
const ANSWER_BYTES = 67_108_864
const ALL_ANSWER_BYTES = 536_870_912
const STREAM_READER_MS = 30_000
/** 512 MiB. */
const UPLOAD_BYTES = 536_870_912
