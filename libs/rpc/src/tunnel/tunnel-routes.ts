/** The serving side of tunnels. */
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { TunnelService } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { type Clock, systemClock } from '@millhand/process'
import type { Routes } from '../direct-transport.ts'
import { unavailable } from './call-errors.ts'
import { type Admit, ServerTunnel } from './server-tunnel.ts'

export interface TunnelRoutesOptions {
  /** Where the calls go: the transport in this process on which the services are registered. */
  readonly transport: Transport
  /** Whose methods can be called. */
  readonly services: readonly DescService[]
  readonly admit: Admit
  /** How many calls may be open in one tunnel. Default 32,768, of which a gateway's event streams are at most 20,000. */
  readonly maxCalls?: number
  /** The largest message of a request; default 4 MiB, as gRPC has it. What the server reads at once is a little more. */
  readonly maxMessageBytes?: number
  /** Whether this process has all that it needs; default: always. Callers hear of it within about a second. */
  readonly ready?: () => boolean
  readonly clock?: Clock
}

export interface TunnelRoutes {
  routes(router: Routes): void
  /** Takes no new tunnels, asks the callers to begin no more calls, and resolves when all calls are answered. */
  drain(): Promise<void>
}

/** Serves tunnels: each call in them is admitted by itself and goes to `transport`. */
export function tunnelRoutes(options: TunnelRoutesOptions): TunnelRoutes {
  const {
    transport,
    services,
    admit,
    maxCalls = 32_768,
    maxMessageBytes = 4 * 1024 * 1024,
    ready = () => true,
    clock = systemClock,
  } = options
  const methods = new Map<string, DescMethod>()
  for (const service of services) {
    for (const method of service.methods) methods.set(`/${service.typeName}/${method.name}`, method)
  }
  const tunnels = new Set<ServerTunnel>()
  let draining = false

  return {
    routes(router) {
      router.service(TunnelService, {
        open(requests, context) {
          if (draining) throw unavailable('the server is stopping')
          const tunnel = new ServerTunnel(
            { transport, methods, admit, maxCalls, maxMessageBytes, ready, clock },
            context,
          )
          tunnels.add(tunnel)
          void tunnel.ended.then(() => tunnels.delete(tunnel))
          void tunnel.serve(requests)
          return tunnel.sendQueue
        },
      })
    },
    async drain() {
      draining = true
      for (const tunnel of tunnels) tunnel.goAway()
      await Promise.all([...tunnels].map(tunnel => tunnel.ended))
    },
  }
}
