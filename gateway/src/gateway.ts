/** REST in, RPC out: every route, name and type comes from the contract. */
import type { DescService } from '@bufbuild/protobuf'
import type { Client, Transport } from '@connectrpc/connect'
import { createIds, httpRoutes } from '@millhand/api'
import type { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Clock, Health } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import { bearerKey } from './admission/bearer.ts'
import { createKnownKeys } from './admission/known-keys.ts'
import { createDispatch } from './dispatch.ts'
import type { Exchange } from './exchange.ts'
import { docsRoutes } from './pages/docs.ts'
import { healthRoutes } from './pages/health.ts'
import { openapiRoute } from './pages/openapi.ts'
import { startRoute } from './pages/start.ts'
import { createHttpServer, type Server, type ServerLimits } from './server.ts'
import { operationRoute } from './transcode/operation.ts'
import { createWaiting } from './transcode/waiting.ts'

export interface GatewayDeps {
  /** Whose methods are served; those without an HTTP rule are not. */
  readonly services: readonly DescService[]
  /** Reaches those services. */
  readonly transport: Transport
  readonly identity: Client<typeof IdentityService>
  readonly health: Health
  readonly log: Log
  readonly clock: Clock
  /** Port 0 takes a free one. */
  readonly http: { readonly host: string; readonly port: number }
  readonly limits?: ServerLimits
}

export type Gateway = Server

/** Throws where a service of the contract can't be served over HTTP. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { services, transport, log, clock, http, limits } = deps
  const ids = createIds({ now: () => clock.now() })
  const keys = createKnownKeys(deps)
  const waiting = createWaiting(deps)
  const operation = {
    transport,
    waiting,
    authenticate: (exchange: Exchange) => keys.principalOf(bearerKey(exchange.req.headers.authorization)),
  }
  const routes = [
    ...httpRoutes(services).map(route => operationRoute(route, operation)),
    ...docsRoutes(),
    ...healthRoutes(deps.health),
    openapiRoute(),
    startRoute(),
  ]
  return createHttpServer({ http, ids, limits, handle: createDispatch(routes, log), onStop: () => waiting.stop() })
}
