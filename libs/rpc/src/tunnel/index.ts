export type { Admit } from './server-tunnel.ts'
export type { ConnectivityEvent } from './subchannel.ts'
export { type TunnelRoutes, type TunnelRoutesOptions, tunnelRoutes } from './tunnel-routes.ts'
export { createTunnelTransport, type TunnelTransport, type TunnelTransportOptions } from './tunnel-transport.ts'
