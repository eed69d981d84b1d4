/** Serves the services of a process to others: in tunnels, and as ordinary gRPC beside them. */
import type { DescService } from '@bufbuild/protobuf'
import type { Client } from '@connectrpc/connect'
import type { ConsumerDirectoryService } from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import { type Address, systemClock as clock, type Health, type Runner } from '@millhand/process'
import type { DirectTransport, Routes } from '@millhand/rpc'
import { createAdmission, createConsumerDirectory, serveNetwork } from '@millhand/rpc/network'
import { tunnelRoutes } from '@millhand/rpc/tunnel'
import type { Log } from '@millhand/telemetry'
import { explainListenFault } from '../listen-fault.ts'
import type { Tls } from './own-credentials.ts'

export interface Serving {
  readonly grpc: Address
  /** Whose tokens are good here: public keys. */
  readonly trusted: readonly string[]
  /** Services that are answered without a token. */
  readonly openServices?: readonly DescService[] | undefined
  /** Who knows the credentials of internal consumers; without it none is let in. */
  readonly consumers?: Client<typeof ConsumerDirectoryService> | undefined
  readonly tls: Tls | undefined
  /** On which the routes are served already. */
  readonly transport: DirectTransport
  readonly routes: (router: Routes) => void
  /** The largest message of a request; as gRPC has it where it is left out. */
  readonly mostMessageBytes?: number | undefined
  readonly health: Health
  readonly runner: Runner
  readonly log: Log
}

const STOP_MS = 3_000

/** The URL at which it serves. */
export async function serveGrpc(serving: Serving): Promise<string> {
  const {
    grpc,
    trusted,
    openServices,
    consumers: identity,
    tls,
    transport,
    routes,
    mostMessageBytes,
    health,
    runner,
    log,
  } = serving
  const consumers = identity && createConsumerDirectory({ identity, clock, log })
  if (consumers !== undefined) runner.run('consumers', signal => consumers.run(signal))
  const admission = createAdmission({ trusted, openServices, consumers, clock, log })
  const tunnels = tunnelRoutes({
    transport,
    services: servicesOf(routes),
    admit: admission.admit,
    ...(mostMessageBytes !== undefined && { maxMessageBytes: mostMessageBytes }),
    ready: () => health.ready().ready,
  })
  const server = await explainListenFault(
    'MILLHAND_GRPC_ADDR',
    serveNetwork({
      ...{ address: grpc, services: routes, extra: [tunnels], admission, health, log },
      ...(mostMessageBytes !== undefined && { mostMessageBytes }),
      ...(tls && { tls }),
    }),
  )
  runner.own({ close: () => server.close(STOP_MS) }, 'grpc')
  runner.onDrain(() => server.drain())
  return server.url
}

/** What `routes` register. */
function servicesOf(routes: (router: Routes) => void): DescService[] {
  const services: DescService[] = []
  routes({ service: service => services.push(service) })
  return services
}
