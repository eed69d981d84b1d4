export type { LinkEvent } from './link.ts'
export type { Admit } from './server-tunnel.ts'
export { type TunnelRoutes, type TunnelRoutesOptions, tunnelRoutes } from './tunnel-routes.ts'
export { createTunnelTransport, type TunnelTransport, type TunnelTransportOptions } from './tunnel-transport.ts'
