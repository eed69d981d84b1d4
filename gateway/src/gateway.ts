/** REST in, RPC out: every route, name and type comes from the contract. */
import type { DescService } from '@bufbuild/protobuf'
import type { Client, Transport } from '@connectrpc/connect'
import { createIds, httpRoutes } from '@millhand/api'
import type { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Clock, Health } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import { createAuthenticate } from './admission/authenticate.ts'
import { createKnownKeys } from './admission/known-keys.ts'
import { createDispatch } from './dispatch.ts'
import { docs } from './pages/docs.ts'
import { healthChecks } from './pages/health.ts'
import { openapi } from './pages/openapi.ts'
import { startPage } from './pages/start.ts'
import { createHttpServer, type Server, type ServerLimits } from './server.ts'
import { endpoint } from './transcode/endpoint.ts'
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
  readonly limits?: ServerLimits & {
    /** The most bytes of an upload. */
    readonly uploadBytes?: number
  }
}

export type Gateway = Server

/** Throws where a service of the contract can't be served over HTTP. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { services, transport, health, log, clock, http, limits } = deps
  const ids = createIds({ now: () => clock.now() })
  const authenticate = createAuthenticate(createKnownKeys(deps))
  const waiting = createWaiting(deps)
  const uploadBytes = limits?.uploadBytes ?? UPLOAD_BYTES
  const endpoints = [
    ...httpRoutes(services).map(route => endpoint(route, { transport, authenticate, waiting, uploadBytes })),
    ...docs(),
    ...healthChecks(health),
    openapi(),
    startPage(),
  ]
  const server = createHttpServer({
    http,
    ids,
    limits,
    handle: createDispatch(endpoints, log),
    onStop() {
      health.set('http', false, 'stopping')
      waiting.stop()
    },
  })
  return {
    async listen() {
      const where = await server.listen()
      health.set('http', true)
      return where
    },
    close: () => server.close(),
  }
}

/** 512 MiB. */
const UPLOAD_BYTES = 536_870_912
